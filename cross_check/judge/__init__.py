"""Whether code is right: states, the truth, the sizes of errors, verdicts, relations between answers, earlier calls, the gate."""
