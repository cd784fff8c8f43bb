"""The kinds of fixes. The module of `jitlint.fixes.edits` that has a remedy's name makes its edits."""

from __future__ import annotations

from typing import Final

from jitlint.fixes.edit import Grade, Remedy

WHERE: Final = Remedy("control_flow", "where", Grade.SAFE, "compute both sides and select with `jnp.where`")
COND: Final = Remedy("control_flow", "cond", Grade.UNSAFE, "run one of two functions with `jax.lax.cond`")
LOGICAL: Final = Remedy("control_flow", "logical", Grade.SAFE, "join conditions with `jnp.logical_and` and its like")
REDUCTION: Final = Remedy(
    "control_flow", "reduction", Grade.UNSAFE, "compute `min`, `max`, `any`, `all` with the function of `jnp`"
)
LOOP: Final = Remedy("control_flow", "loop", Grade.UNSAFE, "repeat with `jax.lax.while_loop` or `jax.lax.fori_loop`")
HOST_CHECK: Final = Remedy(
    "control_flow", "host_check", Grade.UNSAFE, "check when the program runs, by `jax.debug.callback`"
)
STATIC: Final = Remedy("control_flow", "static", Grade.UNSAFE, "make the argument static")
LIFTED: Final = Remedy("calls", "lifted", Grade.SAFE, "apply the transform once, outside of the loop or function")
HASHABLE: Final = Remedy("calls", "hashable", Grade.UNSAFE, "give a static argument that is equal in each call")
STATIC_NAMED: Final = Remedy(
    "calls", "static_named", Grade.SAFE, "name parameters that there are, and none that must be traced"
)
LISTED: Final = Remedy("calls", "listed", Grade.SAFE, "give the items of an iterator as a list or tuple")
REGISTERED: Final = Remedy("calls", "registered", Grade.UNSAFE, "register a class as a pytree")
UNDONATED: Final = Remedy("calls", "undonated", Grade.SAFE, "keep the buffer of an argument that is used again")
SPLIT_KEY: Final = Remedy("calls", "split_key", Grade.UNSAFE, "split a key of random numbers before its next use")
REPLACED_ATTRIBUTE: Final = Remedy(
    "calls", "replaced_attribute", Grade.SAFE, "bind a changed copy of an immutable object"
)
AT_SET: Final = Remedy("purity", "at_set", Grade.SAFE, "bind a copy that `.at[]` has changed")
BOUND_RESULT: Final = Remedy(
    "purity", "bound_result", Grade.UNSAFE, "bind what a function returns to what it was meant to change"
)
TO_JNP: Final = Remedy("host", "to_jnp", Grade.SAFE, "call the function of `jax.numpy` in place of one of the host")
UNBLOCKED: Final = Remedy("host", "unblocked", Grade.SAFE, "leave out `.block_until_ready()`")
UNCONVERTED: Final = Remedy("host", "unconverted", Grade.SAFE, "keep the array in place of a Python number")
ARRAY_LOOKUP: Final = Remedy("host", "array_lookup", Grade.UNSAFE, "index an array in place of a Python sequence")
HOST_MATH: Final = Remedy("host", "host_math", Grade.SAFE, "compute sizes with `math`")
MASKED: Final = Remedy("host", "masked", Grade.SAFE, "keep the shape: `where=` of reductions, `jnp.where`")
DYNAMIC_SLICE: Final = Remedy(
    "host", "dynamic_slice", Grade.UNSAFE, "take a window of fixed length with `jax.lax.dynamic_slice_in_dim`"
)
DEBUG_PRINT: Final = Remedy("host", "debug_print", Grade.SAFE, "print with `jax.debug.print`")
CARRY_DTYPE: Final = Remedy(
    "structured", "carry_dtype", Grade.SAFE, "start or return a carry with one structure and dtype"
)
SCAN_PAIR: Final = Remedy(
    "structured", "scan_pair", Grade.SAFE, "return a pair of carry and output from the body of a scan"
)
BOOLEAN_PREDICATE: Final = Remedy(
    "structured", "boolean_predicate", Grade.SAFE, "give one boolean as the condition of a loop"
)
SAME_BRANCHES: Final = Remedy(
    "structured", "same_branches", Grade.SAFE, "give both branches of a conditional the same kind of result"
)
SWAPPED_BODY: Final = Remedy("structured", "swapped_body", Grade.SAFE, "swap the parameters of a loop's body")
GLOBAL_ARGUMENT: Final = Remedy("purity", "global_argument", Grade.UNSAFE, "pass a global that changes as an argument")
HOST_CALLBACK: Final = Remedy(
    "purity", "host_callback", Grade.UNSAFE, "write to objects when the program runs, by a callback"
)

CORRECTING: Final = frozenset({BOUND_RESULT.name, SPLIT_KEY.name})
"""Those that are meant to give another result than the original gives without jit, since that is wrong, too."""
