"""JIT602: a traced function consumes an iterator made outside of it."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, subject, under
from jitlint.rules.rule import Rule, Severity


class OuterIterator(Rule):
    """Traced function consumes an iterator made outside of it."""

    code = "JIT602"
    name = "outer-iterator"
    severity = Severity.WRONG
    events = (EventKind.ITERATOR_NEXT,)
    what = """
        `next`, a `for` loop or another consumer, in a traced function, of an iterator that was made outside.
        """
    why = """
        The iterator advances while JAX traces: once for a whole `fori_loop` or `scan`, and never again in later calls
        of a jitted function. The item that it returned becomes a constant of the compiled program.

        An iterator over a JAX array may raise instead: it keeps slices that were made while tracing, and the next trace
        that takes one gets UnexpectedTracerError.
        """
    error = ""
    example = """
        import jax

        items = iter([1, 2, 3])
        total = jax.lax.fori_loop(0, 3, lambda i, total: total + next(items), 0)
        """
    remedy = """
        Put the items in an array and index it with the loop's counter, or pass them to `jax.lax.scan` as `xs`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        items = jnp.array([1, 2, 3])
        total = jax.lax.fori_loop(0, 3, lambda i, total: total + items[i], 0)
        """
    symptom = "total != 6"
    unknown = "Silent: only what is known to be an iterator from outside is reported."
    verified_by = """
        Running the function: confirmed if the iterator advances fewer times than the body runs, or if an
        UnexpectedTracerError comes from it.
        """

    def check(self, event: Event) -> str | None:
        iterator = f"the outer iterator {subject(event)}" if event.subject else "an outer iterator"
        problem = f"`{event.construct}` consumes {iterator} while tracing{under(event)}, not each time the body runs"
        return compose(event, problem, "pass the items as an array")
