"""Mechanisms for libraries built on JAX, where no word of a model file can say what they do."""
