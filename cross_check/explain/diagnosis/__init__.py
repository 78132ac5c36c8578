"""Why an implementation disagrees: found by experiments with mechanisms and states, and proven by predicting its answers."""
