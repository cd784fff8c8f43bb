"""JIT8: buffers that JAX reuses."""
