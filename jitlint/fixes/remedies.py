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
LIFTED: Final = Remedy("lifted", Grade.SAFE, "apply the transform once, outside of the loop or function")
HASHABLE: Final = Remedy("hashable", Grade.UNSAFE, "give a static argument that is equal in each call")
STATIC_NAMED: Final = Remedy("static_named", Grade.SAFE, "name parameters that there are, and none that must be traced")
LISTED: Final = Remedy("listed", Grade.SAFE, "give the items of an iterator as a list or tuple")
REGISTERED: Final = Remedy("registered", Grade.UNSAFE, "register a class as a pytree")
UNDONATED: Final = Remedy("undonated", Grade.SAFE, "keep the buffer of an argument that is used again")
SPLIT_KEY: Final = Remedy("split_key", Grade.UNSAFE, "split a key of random numbers before its next use")
REPLACED_ATTRIBUTE: Final = Remedy("replaced_attribute", Grade.SAFE, "bind a changed copy of an immutable object")
AT_SET: Final = Remedy("at_set", Grade.SAFE, "bind a copy that `.at[]` has changed")
BOUND_RESULT: Final = Remedy(
    "bound_result", Grade.UNSAFE, "bind what a function returns to what it was meant to change"
)
TO_JNP: Final = Remedy("to_jnp", Grade.SAFE, "call the function of `jax.numpy` in place of one of the host")
UNBLOCKED: Final = Remedy("unblocked", Grade.SAFE, "leave out `.block_until_ready()`")
UNCONVERTED: Final = Remedy("unconverted", Grade.SAFE, "keep the array in place of a Python number")
ARRAY_LOOKUP: Final = Remedy("array_lookup", Grade.UNSAFE, "index an array in place of a Python sequence")
HOST_MATH: Final = Remedy("host_math", Grade.SAFE, "compute sizes with `math`")
MASKED: Final = Remedy("masked", Grade.SAFE, "keep the shape: `where=` of reductions, `jnp.where`")
DYNAMIC_SLICE: Final = Remedy(
    "dynamic_slice", Grade.UNSAFE, "take a window of fixed length with `jax.lax.dynamic_slice_in_dim`"
)
DEBUG_PRINT: Final = Remedy("debug_print", Grade.SAFE, "print with `jax.debug.print`")
CARRY_DTYPE: Final = Remedy("carry_dtype", Grade.SAFE, "start or return a carry with one structure and dtype")
SCAN_PAIR: Final = Remedy("scan_pair", Grade.SAFE, "return a pair of carry and output from the body of a scan")
BOOLEAN_PREDICATE: Final = Remedy("boolean_predicate", Grade.SAFE, "give one boolean as the condition of a loop")
SAME_BRANCHES: Final = Remedy(
    "same_branches", Grade.SAFE, "give both branches of a conditional the same kind of result"
)
SWAPPED_BODY: Final = Remedy("swapped_body", Grade.SAFE, "swap the parameters of a loop's body")
GLOBAL_ARGUMENT: Final = Remedy("global_argument", Grade.UNSAFE, "pass a global that changes as an argument")
HOST_CALLBACK: Final = Remedy("host_callback", Grade.UNSAFE, "write to objects when the program runs, by a callback")
