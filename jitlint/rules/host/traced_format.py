"""JIT307: a format specification applied to a traced value, or something looked up by its text."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import DEBUG_PRINT, STATIC
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity

_LOOKUPS = {"getattr": "the name that `getattr` looks up", "dict": "the key that is looked up"}
"""The constructs that look something up by a text."""


class TracedFormat(Rule):
    """Format specification applied to a traced value, or something looked up by its text."""

    code = "JIT307"
    name = "traced-format"
    severity = Severity.ERROR
    events = (EventKind.FORMAT,)
    what = """
        A format specification applied to a traced array: `f"{x:.2f}"`, `format(x, "d")`, `"%d" % x`. Or an attribute or
        a key whose name has a traced array in it: `getattr(self, f"layer_{i}")`, `params[f"layer_{i}"]`.
        """
    why = """
        A specification formats a number, and a traced array has no value. Without a specification, `f"{x}"` gives the
        text of the tracer, which is legal, but names nothing: no attribute is called `layer_JitTracer<int32[]>`.
        """
    error = "TypeError: unsupported format string passed to DynamicJaxprTracer.__format__"
    example = """
        import jax

        @jax.jit
        def step(loss):
            print(f"loss {loss:.3f}")
            return loss * 0.9

        step(1.0)
        """
    remedy = """
        Print at run time with `jax.debug.print("loss {:.3f}", loss)`, or format outside of the traced function. Choose
        one of several functions with `lax.switch`, and one of several layers by stacking their parameters.
        """
    fixed_example = """
        import jax

        @jax.jit
        def step(loss):
            jax.debug.print("loss {:.3f}", loss)
            return loss * 0.9

        step(1.0)
        """
    fixes = (DEBUG_PRINT, STATIC)
    unknown = "Silent: only a value that is known to be traced is reported."
    verified_by = """
        Tracing the function: confirmed if a TypeError comes from formatting at this place, or an AttributeError or
        KeyError that shows a tracer.
        """

    def check(self, event: Event) -> str | None:
        if event.construct in _LOOKUPS:
            problem = f"{_LOOKUPS[event.construct]} has the text of a tracer, of {traced(event)}"
            return compose(event, problem, "use lax.switch, or index stacked arrays")
        problem = f"a format specification ({event.construct}) needs the value of {traced(event)}"
        return compose(event, problem, "use jax.debug.print, or format outside")
