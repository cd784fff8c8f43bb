"""The process around the user's code: sandbox, guard against writes, child processes, time limits."""
