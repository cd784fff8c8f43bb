"""jitlint: finds Python code that will not survive `jax.jit`, and proves it with JAX.

Importing this package imports neither jax nor flake8, and runs nobody's code.
"""

__version__ = "0.1.0"
