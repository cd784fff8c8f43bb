"""JIT801: a donated buffer is used after the call that it was donated to."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import UNDONATED
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity

_PLACE_LENGTH = 60


class UseAfterDonation(Rule):
    """Use of an array whose buffer was donated."""

    code = "JIT801"
    name = "use-after-donation"
    severity = Severity.ERROR
    events = (EventKind.DONATED,)
    what = """
        An array that was passed as a donated argument (`donate_argnums`, `donate_argnames`) and is used afterwards:
        read, passed to a function, or passed twice in the donating call itself, be it in two places of one argument.
        """
    why = """
        Donation gives the argument's buffer to the compiled program, which writes its result there. The array is then
        deleted, whatever variable refers to it. Its shape and dtype can still be read, its values cannot.
        """
    error = "RuntimeError: Array has been deleted with shape=float32[3]."
    example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, donate_argnums=0)
        def step(state):
            return state * 2

        state = jnp.ones(3)
        new = step(state)
        print(new - state.max())
        """
    remedy = """
        Bind the result to the same name, so that nothing refers to the old array. Where the old values are needed,
        compute what you need from them before the call, pass a copy (`jnp.copy`), or do not donate.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, donate_argnums=0)
        def step(state):
            return state * 2

        state = jnp.ones(3)
        largest = state.max()
        state = step(state)
        print(state - largest)
        """
    fixes = (UNDONATED,)
    unknown = "Silent: only an array that is known to be the one that was donated is reported."
    verified_by = "Running the code: confirmed if JAX refuses the use because the buffer is gone."

    def check(self, event: Event) -> str | None:
        place = event.detail.get("donated", "")
        name, parameter = subject(event, "an array"), _parameter(event)
        if event.construct == "shared":
            problem = f"{name} is donated here{parameter} and holds one buffer twice, in {event.detail['places']}"
            return compose(event, problem, "copy one of them (`jnp.copy`)")
        if place == f"{event.place.path}:{event.place.line}":
            problem = f"{name} is donated here{parameter} and used here again, so its buffer is gone"
            return compose(event, problem, "bind the result to the donated name, or pass a copy")
        where = f" at {shorten(place, _PLACE_LENGTH)}" if place else ""
        problem = f"{name} was donated{parameter}{where}, so its buffer is gone"
        return compose(event, problem, "use the result of that call, or pass it a copy")


def _parameter(event: Event) -> str:
    """The words " as argument `params`", or nothing for a parameter without a name."""
    name = event.detail.get("parameter", "")
    return f" as argument `{name}`" if name.isidentifier() else ""
