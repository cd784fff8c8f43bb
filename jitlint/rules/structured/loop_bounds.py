"""JIT708: the bounds of a fori_loop have different dtypes."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class LoopBounds(Rule):
    """Bounds of a `fori_loop` that have different dtypes."""

    code = "JIT708"
    name = "loop-bounds"
    severity = Severity.ERROR
    events = (EventKind.BOUNDS,)
    what = """
        A `lax.fori_loop` whose lower bound is an integer and whose upper bound is a float, or the other way round.
        """
    why = """
        The loop counts from one to the other in one dtype. Division (`n / 2`), `np.ceil` and a jitted function's
        argument that is called with `3.0` give floats even where the number is whole.
        """
    error = "TypeError: lower and upper arguments to fori_loop must have equal types, got int32 and float32"
    example = """
        from jax import lax

        count = 10
        lax.fori_loop(0, count / 2, lambda i, total: total + i, 0)
        """
    remedy = """
        Use integers: `n // 2`, `int(np.ceil(n))`, or `.astype(int)` on a traced bound.
        """
    fixed_example = """
        from jax import lax

        count = 10
        lax.fori_loop(0, count // 2, lambda i, total: total + i, 0)
        """
    unknown = "Silent: only bounds whose dtypes are both known are compared."
    verified_by = "Running or tracing the loop: confirmed if JAX refuses the bounds."

    def check(self, event: Event) -> str | None:
        kinds = event.detail.get("difference", "") or "of different dtypes"
        return compose(event, f"the bounds of `{event.construct}` are {kinds}", "make both integers")
