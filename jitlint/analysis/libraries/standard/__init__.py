"""Mechanisms for Python's built-in functions, the methods of its built-in types, and its standard library."""
