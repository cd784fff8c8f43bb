"""JIT9: what only tracing, compiling and running a program can tell. `--verify=all` observes these events."""
