#!/bin/sh
# Starts MATLAB, or Octave where there is no MATLAB, and lets main.m answer dalembert. Another program can be named:
#     sh my_dynamics.sh octave-cli
# MATLAB cannot read its standard input in batch mode, and prints to its standard output. So the conversation takes place
# over the files 3 and 4, and what is printed goes to standard error.
cd "$(dirname "$0")" || exit
program=${1:-$(command -v matlab || command -v octave-cli || command -v octave)}
exec 3<&0 4>&1 </dev/null >&2
case "${program##*/}" in
    "") echo "there is no matlab and no octave on the PATH" ; exit 127 ;;
    octave*) exec "$program" --quiet --no-init-file --no-gui --eval main ;;
    *) exec "$program" -batch main ;;
esac
