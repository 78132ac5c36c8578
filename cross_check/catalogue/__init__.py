"""The equations of the five texts, proven or refuted one by one."""
