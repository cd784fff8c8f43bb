"""JIT5: what a traced function does besides computing its result."""
