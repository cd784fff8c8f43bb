"""What surrounds the user's code: the sandbox, the guard, child processes, time."""
