"""Verify: findings are proven or dismissed by running their code with real JAX, in processes of their own."""

from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

__all__ = ["VerifyOptions", "verify"]
