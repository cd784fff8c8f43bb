"""The process around the user's code: guard against writes, child processes, time limits."""
