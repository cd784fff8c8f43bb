"""JIT2: sizes, shapes and indices that must be known while tracing."""
