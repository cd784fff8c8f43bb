"""Python itself: what its expressions, statements, functions and classes do to abstract values.

README.md beside this file says which file to read first, and follows one small program through them.
"""
