"""JIT6: arguments and results that JAX cannot trace."""
