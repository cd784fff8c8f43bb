"""JIT105: `and`, `or`, `not` on a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, HOST_CHECK, LOGICAL, LOOP, STATIC, WHERE
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity

_INSTEAD = {
    "and": "use jnp.logical_and or `&`",
    "or": "use jnp.logical_or or `|`",
    "not": "use jnp.logical_not or `~`",
}


class TracedBooleanOperator(Rule):
    """`and`, `or` or `not` on a traced value."""

    code = "JIT105"
    name = "traced-boolean-operator"
    severity = Severity.ERROR
    events = (EventKind.BOOL,)
    what = """
        A boolean operator whose operand is a traced array. `and` and `or` call `bool()` on their left operand to know
        whether to evaluate the right one; `not` calls it to negate.
        """
    why = """
        These operators cannot be overloaded, so Python asks the traced array for a truth value that it does not have.
        """
    error = "jax.errors.TracerBoolConversionError: Attempted boolean conversion of traced array with shape bool[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def inside(x):
            return jnp.where(x > 0 and x < 1, 1.0, 0.0)

        inside(0.5)
        """
    remedy = """
        Use `jnp.logical_and`, `jnp.logical_or`, `jnp.logical_not`, or `&`, `|`, `~` on boolean arrays, with parentheses
        around comparisons.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def inside(x):
            return jnp.where((x > 0) & (x < 1), 1.0, 0.0)

        inside(0.5)
        """
    fixes = (WHERE, COND, LOGICAL, LOOP, HOST_CHECK, STATIC)
    unknown = "Silent: only an operand that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if a TracerBoolConversionError comes from this operand."

    def check(self, event: Event) -> str | None:
        instead = _INSTEAD.get(event.construct)
        if instead is None:
            return None
        return compose(event, f"`{event.construct}` needs the value of {traced(event)}", instead)
