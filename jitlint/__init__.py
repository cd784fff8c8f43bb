"""jitlint: finds Python code that will not survive `jax.jit`, and proves it with JAX.

Importing this package imports neither jax nor flake8, and runs nobody's code.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from jitlint.python import (
        Confirmation,
        Finding,
        Location,
        Report,
        UsageError,
        Verdict,
        assert_jittable,
        check,
        confirm,
    )

__all__ = [
    "Confirmation",
    "Finding",
    "Location",
    "Report",
    "UsageError",
    "Verdict",
    "assert_jittable",
    "check",
    "confirm",
    "reveal_stage",
]

__version__ = "0.1.0"

_T = TypeVar("_T")


def reveal_stage(x: _T) -> _T:
    """Gives its argument back. In linted code, `jitlint` prints what the analyzer thinks of the argument.

    The bare name is known in linted code without an import; the import is for code that also runs.
    """
    return x


def __getattr__(name: str) -> Any:
    """What `jitlint.python` offers, loaded when it is first used: linted programs import jitlint for `reveal_stage`."""
    if name in __all__:
        return getattr(import_module("jitlint.python"), name)
    raise AttributeError(f"module 'jitlint' has no attribute {name!r}")


def load_ipython_extension(shell: object) -> None:
    """`%load_ext jitlint`: gives IPython and Jupyter the magics `%%jitlint` and `%jitlint`."""
    import_module("jitlint_ipython").load(shell)


def unload_ipython_extension(shell: object) -> None:
    """`%unload_ext jitlint`: takes the magics away."""
    import_module("jitlint_ipython").unload(shell)
