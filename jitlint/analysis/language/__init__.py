"""Python itself: what its expressions, statements, classes and functions do to abstract values."""
