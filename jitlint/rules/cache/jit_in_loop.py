"""JIT401: a new function transformed in each iteration of a loop."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LIFTED
from jitlint.rules.message import compose, created, new_function
from jitlint.rules.rule import Rule, Severity


class JitInLoop(Rule):
    """New function jitted in each iteration of a loop."""

    code = "JIT401"
    name = "jit-in-loop"
    severity = Severity.SLOW
    events = (EventKind.JIT_CREATED,)
    what = """
        A transform applied, inside a loop, to a function that is made anew in each iteration: a lambda, a `partial`, a
        function defined in the loop, a bound method, or the result of another transform.
        """
    why = """
        The key of the compile cache is the function object. A new object is never in the cache, so JAX traces and
        compiles in each iteration. `jax.jit(named_function)` in a loop is fine: the function is the same object each
        time.
        """
    error = ""
    example = """
        import jax

        def scale(x):
            return x * 2.0

        for value in (1.0, 2.0, 3.0):
            jax.jit(lambda x: scale(x))(value)
        """
    remedy = """
        Apply the transform once, before the loop, and pass what varies as an argument.
        """
    fixed_example = """
        import jax

        def scale(x):
            return x * 2.0

        scale_jit = jax.jit(lambda x: scale(x))
        for value in (1.0, 2.0, 3.0):
            scale_jit(value)
        """
    symptom = "compiled.count('jit(<lambda>)') > 1"
    fixes = (LIFTED,)
    unknown = """
        Silent: only a function that is known to be a new object in each iteration is reported. It is a hint where each
        iteration needs a program of its own: options, static arguments or the function itself depend on the loop, or
        the compiled programs are kept in a table. So it is where compiling takes no time beside the iteration.
        """
    verified_by = "Counting compilations while the loop runs: confirmed if there is more than one for the same shapes."

    def check(self, event: Event) -> str | None:
        if event.detail.get("where") != "loop":
            return None
        problem = f"{created(event)} in a loop compiles in each iteration"
        return compose(event, problem, f"create {new_function(event)} once before the loop")

    def severity_of(self, event: Event) -> Severity:
        return Severity.HINT if event.detail.get("own") else self.severity
