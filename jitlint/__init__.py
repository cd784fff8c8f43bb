"""jitlint: finds Python code that will not survive `jax.jit`, and proves it with JAX.

Importing this package imports neither jax nor flake8, and runs nobody's code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

__version__ = "0.1.0"

_T = TypeVar("_T")


def reveal_stage(x: _T) -> _T:
    """Gives its argument back. In linted code, `jitlint` prints what the analyzer thinks of the argument.

    The bare name is known in linted code without an import; the import is for code that also runs.
    """
    return x


def load_ipython_extension(shell: InteractiveShell) -> None:
    """`%load_ext jitlint`: gives IPython and Jupyter the magics `%%jitlint` and `%jitlint`."""
    from jitlint_ipython import load  # only sessions of IPython need it

    load(shell)


def unload_ipython_extension(shell: InteractiveShell) -> None:
    """`%unload_ext jitlint`: takes the magics away."""
    from jitlint_ipython import unload  # as above

    unload(shell)
