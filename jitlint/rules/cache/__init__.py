"""JIT4: the compile cache is missed or cannot be asked."""
