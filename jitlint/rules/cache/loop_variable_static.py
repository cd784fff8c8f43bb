"""JIT406: a static argument that takes another value in each round of a loop."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import aside, compose, parameter
from jitlint.rules.rule import Rule, Severity


class LoopVariableStatic(Rule):
    """Static argument that takes another value in each round of a loop."""

    code = "JIT406"
    name = "loop-variable-static"
    severity = Severity.SLOW
    events = (EventKind.STATIC_VALUE,)
    what = """
        The counter of a loop, or a number computed from it, passed for an argument that is static.
        """
    why = """
        JAX compiles once for each value of a static argument. A loop of a thousand rounds compiles a thousand programs
        and keeps them all.
        """
    error = ""
    example = """
        from functools import partial

        import jax

        @partial(jax.jit, static_argnames="step")
        def decay(x, step):
            return x / (1.0 + step)

        x = 1.0
        for step in range(10):
            x = decay(x, step)
        """
    remedy = """
        Let the argument be traced. Where it is a size that must be static, take the largest for all rounds and mask,
        or a few sizes (powers of two) for many rounds. A loop inside of the function is one program.
        """
    fixed_example = """
        import jax

        @jax.jit
        def decay(x, step):
            return x / (1.0 + step)

        x = 1.0
        for step in range(10):
            x = decay(x, step)
        """
    symptom = "compiled.count('jit(decay)') > 1"
    unknown = """
        Silent: only the counter of a `range` or an `enumerate` is reported, and what is computed of it by addition,
        subtraction or multiplication. That the loop has many rounds is assumed, and said so, unless it is written out.
        """
    verified_by = "Counting compilations while the loop runs: confirmed if the function is compiled more than once."

    def check(self, event: Event) -> str | None:
        if event.construct != "loop variable":
            return None
        problem = f"static {parameter(event)} gets another value{aside(event)} in each round, and each one compiles"
        return compose(event, problem, "let it be traced")
