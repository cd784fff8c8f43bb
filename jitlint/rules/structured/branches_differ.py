"""JIT703: the branches of a conditional do not fit together."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import SAME_BRANCHES
from jitlint.rules.message import compose, difference
from jitlint.rules.rule import Rule, Severity


class BranchesDiffer(Rule):
    """Branches of a conditional that do not fit together."""

    code = "JIT703"
    name = "branches-differ"
    severity = Severity.ERROR
    events = (EventKind.BRANCHES,)
    what = """
        Branches of `lax.cond` or `lax.switch` that return different pytree structures, shapes or dtypes, that cannot
        take the operands, or that do not come as a sequence. A branch that raises in any case, or that calls the
        function around the conditional again.
        """
    why = """
        JAX traces every branch on the same operands, whichever will be taken, and the code after the conditional is
        compiled once for all their results. Dtypes are not promoted: `0` in one branch and a float array in the other
        do not agree.
        """
    error = "TypeError: cond branches must have equal output types but they differ."
    example = """
        import jax
        from jax import lax

        @jax.jit
        def positive_part(x):
            return lax.cond(x > 0, lambda v: v, lambda v: 0, x)

        positive_part(1.5)
        """
    remedy = """
        Let each branch take all operands and return the same structure: `0.0` or `jnp.zeros_like(x)` instead of `0`,
        an array instead of None, every key in every branch. Instead of raising, return a value and check it outside, or
        use `jax.experimental.checkify`. Instead of recursion, use a loop.
        """
    fixed_example = """
        import jax
        from jax import lax

        @jax.jit
        def positive_part(x):
            return lax.cond(x > 0, lambda v: v, lambda v: 0.0, x)

        positive_part(1.5)
        """
    fixes = (SAME_BRANCHES,)
    unknown = "Silent: only structures, ranks and dtypes that are known in both branches are compared."
    verified_by = """
        Running or tracing the conditional: confirmed if JAX refuses the branches for the same difference. A branch that
        raises or recurses stays inconclusive: its error is its own, not JAX's.
        """

    def check(self, event: Event) -> str | None:
        if fault := event.detail.get("fault"):
            looping = event.detail.get("remedy") == "loop"
            remedy = "use lax.while_loop or lax.fori_loop" if looping else "return a value, and check with checkify"
            return compose(event, f"a branch of `{event.construct}` {fault}, and JAX traces every branch", remedy)
        problem = f"the branches of `{event.construct}` do not fit together{difference(event)}"
        return compose(event, problem, "give all of them the same operands, structure, shapes and dtypes")
