"""JIT601: an iterator as argument of a traced function."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import LISTED
from jitlint.rules.message import compose, iterator, parameter, under
from jitlint.rules.rule import Rule, Severity


class IteratorArgument(Rule):
    """Iterator as argument of a traced function."""

    code = "JIT601"
    name = "iterator-argument"
    severity = Severity.ERROR
    events = (EventKind.ITERATOR_ARGUMENT,)
    what = """
        A generator, an iterator, a `zip`, `map`, `range`, dictionary view or file passed to a traced function, or to a
        function of `jax.numpy` in the place of an array.
        """
    why = """
        Arguments must be arrays, numbers, or containers of them. An iterator has neither a shape nor a fixed structure,
        and reading it would be a side effect.
        """
    error = (
        "TypeError: Error interpreting argument to <function total at …> as an abstract array. The problematic "
        "value is of type <class 'list_iterator'> and was passed to the function at path values."
    )
    example = """
        import jax

        @jax.jit
        def total(values):
            return sum(values)

        total(iter([1.0, 2.0]))
        """
    remedy = """
        Pass a list, a tuple or a stacked array. Data that comes in batches is best read outside, one call per batch.
        """
    fixed_example = """
        import jax

        @jax.jit
        def total(values):
            return sum(values)

        total([1.0, 2.0])
        """
    fixes = (LISTED,)
    unknown = "Silent: only an argument that is known to be an iterator is reported."
    verified_by = "Running the call: confirmed if JAX refuses the argument."

    def check(self, event: Event) -> str | None:
        refused = "is no array" if "function" in event.detail else f"cannot be traced{under(event)}"
        problem = f"{parameter(event)} gets {iterator(event)}, which {refused}"
        return compose(event, problem, "pass a list, a tuple or an array")
