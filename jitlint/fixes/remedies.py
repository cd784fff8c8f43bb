"""The kinds of fixes. The module of `jitlint.fixes.edits` that has a remedy's name makes its edits."""

from __future__ import annotations

from typing import Final

from jitlint.fixes.edit import Grade, Remedy

WHERE: Final = Remedy("where", Grade.SAFE, "compute both sides and select with `jnp.where`")
COND: Final = Remedy("cond", Grade.SAFE, "run one of two functions with `jax.lax.cond`")
LOGICAL: Final = Remedy("logical", Grade.SAFE, "join conditions with `jnp.logical_and` and its like")
REDUCTION: Final = Remedy("reduction", Grade.SAFE, "compute `min`, `max`, `any`, `all` with the function of `jnp`")
LOOP: Final = Remedy("loop", Grade.SAFE, "repeat with `jax.lax.while_loop` or `jax.lax.fori_loop`")
HOST_CHECK: Final = Remedy("host_check", Grade.UNSAFE, "check when the program runs, by `jax.debug.callback`")
STATIC: Final = Remedy("static", Grade.UNSAFE, "make the argument static")
