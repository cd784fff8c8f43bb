"""JIT1: Python control flow on traced values."""
