"""JIT7: structured control flow and the lax layer."""
