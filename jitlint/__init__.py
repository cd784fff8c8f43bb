"""jitlint: finds Python code that will not survive `jax.jit`, and proves it with JAX.

Importing this package imports neither jax nor flake8, and runs nobody's code.
"""

from typing import TypeVar

__version__ = "0.1.0"

_T = TypeVar("_T")


def reveal_stage(x: _T) -> _T:
    """Gives its argument back. In linted code, `jitlint` prints what the analyzer thinks of the argument.

    The bare name is known in linted code without an import; the import is for code that also runs.
    """
    return x
