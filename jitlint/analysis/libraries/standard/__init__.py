"""Mechanisms for built-in functions, methods of built-in types, and the standard library."""
