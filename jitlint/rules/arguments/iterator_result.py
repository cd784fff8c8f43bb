"""JIT603: a traced function that gives an iterator."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LISTED
from jitlint.rules.message import compose, function, iterator, under
from jitlint.rules.rule import Rule, Severity


class IteratorResult(Rule):
    """Traced function that is a generator or returns an iterator."""

    code = "JIT603"
    name = "iterator-result"
    severity = Severity.ERROR
    events = (EventKind.ITERATOR_RESULT,)
    what = """
        A traced function that is a generator or coroutine, or returns a `zip`, `map`, generator or other iterator.
        """
    why = """
        Results must be arrays, numbers, or containers of them. JAX refuses a generator function when the transform is
        applied, and an iterator when it is returned.
        """
    error = "TypeError: Expected a function, got a generator function: <function squares at …>"
    example = """
        import jax

        @jax.jit
        def squares(values):
            for v in values:
                yield v * v

        list(squares([1.0, 2.0]))
        """
    remedy = """
        Return a list, a tuple or a stacked array.
        """
    fixed_example = """
        import jax

        @jax.jit
        def squares(values):
            return [v * v for v in values]

        squares([1.0, 2.0])
        """
    fixes = (LISTED,)
    unknown = "Silent: only a result that is known to be an iterator is reported."
    verified_by = "Applying the transform and tracing: confirmed if JAX refuses the function or its result."

    def check(self, event: Event) -> str | None:
        problem = f"{function(event)}{under(event)} gives {iterator(event)}, which is no JAX type"
        return compose(event, problem, "return a list, a tuple or an array")
