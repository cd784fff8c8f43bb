"""JIT110: a builtin, or a comparison of containers, that decides by the truth of a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, LOOP, REDUCTION, STATIC, WHERE
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity

_SYNTAX = frozenset(
    ("if", "while", "assert", "ternary", "and", "or", "not", "comparison-chain", "comprehension", "in", "match", "bool")
)
"""The constructs of BOOL that are no function's name."""

_INSTEAD = {
    "any": "use jnp.any",
    "all": "use jnp.all",
    "min": "use jnp.minimum or jnp.min",
    "max": "use jnp.maximum or jnp.max",
    "sorted": "use jnp.sort",
    "sort": "use jnp.sort",
    "filter": "mask with jnp.where",
    **dict.fromkeys(("==", "!="), "compare array by array with jnp.array_equal"),
    **dict.fromkeys(("bisect", "bisect_left", "bisect_right"), "use jnp.searchsorted"),
    **dict.fromkeys(("insort", "insort_left", "insort_right", "heapify", "heappush"), "use jnp.sort"),
    **dict.fromkeys(("nlargest", "nsmallest"), "use lax.top_k"),
}


class TracedDecision(Rule):
    """Function or comparison that decides by the truth of a traced value (`max`, `sorted`, `(a, b) == (c, d)` …)."""

    code = "JIT110"
    name = "traced-decision"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A call of `any`, `all`, `min`, `max`, `sorted`, `list.sort` or `filter`, or of another Python function that
        decides by `bool()`, on traced arrays: those of `bisect` and `heapq`. Also `==` and `!=` between tuples, lists,
        dicts or dataclasses that hold traced arrays.
        """
    why = """
        These functions compare elements and call `bool()` on the outcome to know which one to keep. `sum`, `abs`,
        `round`, `zip`, `enumerate` and `reversed` do not, and work on traced arrays. A comparison of containers, or of
        dataclasses, compares their parts in turn and calls `bool()` on each outcome, too.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax

        @jax.jit
        def relu(x):
            return max(x, 0.0)

        relu(3.0)
        """
    remedy = """
        Use the counterpart in `jax.numpy`: `jnp.any`, `jnp.all`, `jnp.minimum`, `jnp.maximum`, `jnp.min`, `jnp.max`,
        `jnp.sort`. Compare the parts of containers with `jnp.array_equal`, or only what is static in them.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def relu(x):
            return jnp.maximum(x, 0.0)

        relu(3.0)
        """
    fixes = (WHERE, COND, REDUCTION, LOOP, STATIC)
    unknown = "Silent: only arguments that are known to be traced are reported, and only functions known to decide."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this call."

    def check(self, event: Event) -> str | None:
        if event.construct in _SYNTAX:
            return None
        remedy = _INSTEAD.get(event.construct, "use jax.numpy or lax.cond")
        return compose(event, f"`{event.construct}` decides by the value of {traced(event)}", remedy)
