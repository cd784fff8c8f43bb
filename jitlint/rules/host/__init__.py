"""JIT3: traced values turned into Python or NumPy values."""
