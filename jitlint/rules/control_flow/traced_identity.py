"""JIT113: `is True` or `is False` of a traced value."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import COND, LOGICAL, STATIC, WHERE
from jitlint.rules.message import compose, or_static, subject, under
from jitlint.rules.rule import Rule, Severity


class TracedIdentity(Rule):
    """`is True` or `is False` of a traced value."""

    code = "JIT113"
    name = "traced-identity"
    severity = Severity.WRONG
    events = (EventKind.IDENTITY,)
    what = """
        A traced value compared with True or False by its identity: `if flag is True:`, `flag is not False`.
        """
    why = """
        Under the trace, a flag that was passed as True is a tracer, and a tracer is no object but itself. `is True` is
        False whatever was passed, so that the compiled program always takes the same way. Nothing fails.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def scale(x, double):
            if double is True:
                return x * 2
            return x

        result = scale(1.0, True)
        """
    remedy = """
        Make the flag a static argument (`static_argnames`), if it is known before the call. Otherwise choose with
        `jnp.where` or `lax.cond`.
        """
    fixed_example = """
        import functools

        import jax

        @functools.partial(jax.jit, static_argnames="double")
        def scale(x, double):
            if double is True:
                return x * 2
            return x

        result = scale(1.0, True)
        """
    symptom = "result == 1.0"
    fixes = (WHERE, COND, LOGICAL, STATIC)
    unknown = "Silent: only a value that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if the value is a tracer on this line."

    def check(self, event: Event) -> str | None:
        outcome = "False" if event.construct == "is" else "True"
        test = subject(event, f"`{event.construct} {event.detail.get('other', 'True')}`")
        why = f": {event.origin}{under(event)}" if event.origin else under(event)
        problem = f"{test} is {outcome} in any case, since a tracer is neither True nor False{why}"
        return compose(event, problem, f"use jnp.where or lax.cond{or_static(event)}")
