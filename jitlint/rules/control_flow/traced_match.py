"""JIT111: `match` on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, or_static, traced
from jitlint.rules.rule import Rule, Severity


class TracedMatch(Rule):
    """`match` on a traced value."""

    code = "JIT111"
    name = "traced-match"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A `match` statement in which a value pattern compares with a traced array, or a guard is one.
        """
    why = """
        A value pattern is a comparison with `==` followed by `bool()`, and the comparison is traced. Patterns on
        structure (classes, sequences, mapping keys) and on static values are fine.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def activate(kind, x):
            match kind:
                case 0:
                    return jnp.sin(x)
                case _:
                    return jnp.cos(x)

        activate(0, 1.0)
        """
    remedy = """
        Use `jax.lax.switch` on an integer, or make the argument static.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def activate(kind, x):
            return jax.lax.switch(kind, [jnp.sin, jnp.cos], x)

        activate(0, 1.0)
        """
    unknown = "Silent: only a subject or guard that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this case."

    def check(self, event: Event) -> str | None:
        if event.construct != "match":
            return None
        return compose(event, f"`match` needs the value of {traced(event)}", f"use lax.switch{or_static(event)}")
