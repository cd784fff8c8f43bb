"""Mechanisms for libraries built on JAX that no word of a model file can say."""
