"""JIT406: a static argument that takes another value in each round of a loop."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import STATIC_NAMED
from jitlint.rules.message import aside, compose, parameter
from jitlint.rules.rule import Rule, Severity


class LoopVariableStatic(Rule):
    """Static argument that takes another value in each round of a loop."""

    code = "JIT406"
    name = "loop-variable-static"
    severity = Severity.SLOW
    events = (EventKind.STATIC_VALUE,)
    what = """
        The counter of a loop, or a number computed from it, passed for an argument that is static, alone or in a tuple
        or a frozen dataclass, or put into a static field of a pytree (`eqx.field(static=True)`). Or a text in such a
        field that tells many objects apart: `name=f"series-{i}"`. Equinox's `filter_jit` traces arrays only, so that
        each Python number is static, alone or in a module; and so does `nnx.jit`: a number that a module counts on, in
        a compiled call or between two of them, is another one for the next.
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
        Let the argument be traced. Where it is a size that must be static, use the largest size in all rounds and mask,
        or round up to a few sizes (powers of two). Or move the loop into the function: then there is one program.
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
    fixes = (STATIC_NAMED,)
    unknown = """
        Silent: only the counter of a `range` or an `enumerate` is reported, and numbers computed from it by addition,
        subtraction, multiplication or division; under `filter_jit` each Python float that the round computes. Unless
        the number of rounds is written out, the rule assumes many and says so in the message.
        """
    verified_by = "Counting compilations while the loop runs: confirmed if the function is compiled more than once."

    def check(self, event: Event) -> str | None:
        if event.construct == "counter":
            field = f"`{event.detail['attribute']}` of `{event.detail['class']}`"
            problem = f"{field} is static and another number after each call, so each call compiles"
            return compose(event, problem, "make it a variable that holds an array (nnx.Variable)")
        if event.construct != "loop variable":
            return None
        if "attribute" in event.detail:
            field = f"`{event.detail['attribute']}` of `{event.detail['class']}`"
            problem = f"{field} is static and another value in each round, and each one compiles"
            return compose(event, problem, "make it a normal field that holds an array, or keep it out of the pytree")
        filtered = event.entry is not None and event.entry.transform.startswith("equinox.")
        kind = parameter(event) if filtered else f"static {parameter(event)}"
        problem = f"{kind} gets another value{aside(event)} in each round, and each one compiles"
        if filtered:
            return compose(event, problem, "make an array of the number (jnp.asarray): only arrays are traced")
        return compose(event, problem, "let it be traced")
