"""Public repositories at fixed commits, and what a reader found of each error that jitlint reported there."""
