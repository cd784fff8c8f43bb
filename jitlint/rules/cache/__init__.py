"""JIT4: calls that miss the compile cache, or whose arguments cannot be its keys."""
