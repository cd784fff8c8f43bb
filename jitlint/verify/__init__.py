"""Verify: findings are proven or dismissed by running their code with real JAX, in processes of their own."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jitlint.verify.api import verify
    from jitlint.verify.options import VerifyOptions

__all__ = ["VerifyOptions", "verify"]


def __getattr__(name: str) -> Any:
    """Only who verifies needs psutil, which is no dependency of the linter."""
    if name == "verify":
        from jitlint.verify.api import verify

        return verify
    if name == "VerifyOptions":
        from jitlint.verify.options import VerifyOptions

        return VerifyOptions
    raise AttributeError(name)
