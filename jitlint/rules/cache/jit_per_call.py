"""JIT402: a new function transformed in each call of the function around it."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LIFTED
from jitlint.rules.message import compose, created, new_function
from jitlint.rules.rule import Rule, Severity


class JitPerCall(Rule):
    """New function jitted in each call of the function around it."""

    code = "JIT402"
    name = "jit-per-call"
    severity = Severity.SLOW
    events = (EventKind.JIT_CREATED,)
    what = """
        A transform applied to a function that is made anew in each call of the enclosing function, which is itself
        called in a loop.
        """
    why = """
        The key of the compile cache is the function object. A new object is never in the cache, so JAX traces and
        compiles in each call of the enclosing function.
        """
    error = ""
    example = """
        import jax

        def solve(x):
            def residual(v):
                return v * v - 2.0

            return jax.jit(residual)(x)

        for guess in (1.0, 1.5, 2.0):
            solve(guess)
        """
    remedy = """
        Define and transform the function once, at module level; pass what it closes over as an argument. Or make the
        transformed function in one call and return it for reuse.
        """
    fixed_example = """
        import jax

        @jax.jit
        def residual(v):
            return v * v - 2.0

        def solve(x):
            return residual(x)

        for guess in (1.0, 1.5, 2.0):
            solve(guess)
        """
    symptom = "compiled.count('jit(residual)') > 1"
    fixes = (LIFTED,)
    unknown = """
        Silent: only a function that is known to be new is reported, and only where calls in a loop are seen. It is a
        hint where each round of that loop needs a program of its own: it makes the object that compiles, or brings the
        function, the options or another size; or where it comes here only after a failure.
        """
    verified_by = "Counting compilations while the enclosing function is called again with the same shapes."

    def check(self, event: Event) -> str | None:
        if event.detail.get("where") != "call":
            return None
        name = event.symbol.rpartition(".")[2]
        around = f"`{name}`" if name.isidentifier() else "the enclosing function"
        return compose(
            event, f"{created(event)} compiles in each call of {around}", f"create {new_function(event)} once, outside"
        )

    def severity_of(self, event: Event) -> Severity:
        return Severity.HINT if event.detail.get("own") else self.severity
