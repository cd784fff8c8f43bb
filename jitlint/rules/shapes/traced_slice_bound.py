"""JIT205: a traced value as a bound of a slice."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import DYNAMIC_SLICE, HOST_MATH, STATIC
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedSliceBound(Rule):
    """Traced value as a bound of a slice."""

    code = "JIT205"
    name = "traced-slice-bound"
    severity = Severity.ERROR
    events = (EventKind.SLICE,)
    what = """
        A slice such as `x[:n]` or `x[i:i + 4]` with a traced bound or step.
        """
    why = """
        The length of the slice would depend on a value that is not known while JAX traces. That holds for
        `x[i:i + 4]` too: JAX does not see that the bounds differ by a constant.
        """
    error = (
        "IndexError: Slice entries must be static integers. Got slice(None, JitTracer(~int32[]), None) at position 0"
    )
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def head_sum(x, n):
            return x[:n].sum()

        head_sum(jnp.ones(5), 3)
        """
    remedy = """
        For a window of fixed length at a traced start use `jax.lax.dynamic_slice_in_dim(x, start, length)`. For a
        traced length use a mask: `jnp.where(jnp.arange(len(x)) < n, x, 0)`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def head_sum(x, n):
            return jnp.where(jnp.arange(len(x)) < n, x, 0).sum()

        head_sum(jnp.ones(5), 3)
        """
    fixes = (HOST_MATH, DYNAMIC_SLICE, STATIC)
    unknown = "Silent: only a bound that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if JAX refuses the slice at this place."

    def check(self, event: Event) -> str | None:
        remedy = f"use lax.dynamic_slice or a mask{or_static(event)}"
        return compose(event, f"a slice needs static bounds, not {traced(event)}", remedy)
