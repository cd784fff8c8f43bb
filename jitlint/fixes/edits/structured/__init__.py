"""Loops and conditionals of JAX."""
