"""What a run ends with."""

CLEAN, FOUND, FAILED = 0, 1, 2
"""The program's exit statuses: nothing to report, findings, something could not be done."""
