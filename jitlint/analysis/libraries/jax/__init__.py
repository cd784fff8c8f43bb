"""Mechanisms for functions of JAX that no word of a model file can say."""
