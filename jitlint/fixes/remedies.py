"""The kinds of fixes. Each is made by the module of `jitlint.fixes.edits` that has its name; rules name those they offer."""

from __future__ import annotations

from typing import Final

from jitlint.fixes.edit import Grade, Remedy

WHERE: Final = Remedy("where", Grade.SAFE, "compute both sides and select with `jnp.where`")
COND: Final = Remedy("cond", Grade.SAFE, "run one of two functions with `jax.lax.cond`")
STATIC: Final = Remedy("static", Grade.UNSAFE, "make the argument static")
