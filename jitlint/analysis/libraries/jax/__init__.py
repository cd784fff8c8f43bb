"""Mechanisms for JAX functions that call functions, walk trees, or depend on the structure of their arguments."""
