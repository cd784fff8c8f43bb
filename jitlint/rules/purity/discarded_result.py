"""JIT510: a pure function is called and nobody takes its result."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import BOUND_RESULT
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class DiscardedResult(Rule):
    """Result of a pure function that nobody takes."""

    code = "JIT510"
    name = "discarded-result"
    severity = Severity.WRONG
    events = (EventKind.DISCARDED,)
    what = """
        A statement that calls a function without effects and takes no result: `x.at[i].set(v)`, `x.sort()`,
        `jnp.append(xs, x)`, `jax.random.split(key)`, `optax.apply_updates(params, updates)`, `state.replace(…)`. Also
        an optimizer's new state that is unpacked and never read, where code goes on with the old one, and a copy
        by `x.at[i].set(v)` that is bound to a variable which nobody reads. So is `leaf *= 2` in a loop over a tree's
        leaves: it changes NumPy's arrays, but binds `leaf` to a new JAX array.
        """
    why = """
        JAX arrays are immutable: such a function changes none of its arguments, whatever NumPy's of the same name does.
        It returns the changed value, which is lost here. An optimizer that gets its first state in each step
        has no momentum, and its schedule stands still.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def clear_first(x):
            x.at[0].set(0.0)
            return x

        cleared = clear_first(jnp.ones(3))
        """
    remedy = """
        Assign the result: `x = x.at[i].set(v)`, `x = jnp.sort(x)`. Delete the statement if nothing needs it.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def clear_first(x):
            x = x.at[0].set(0.0)
            return x

        cleared = clear_first(jnp.ones(3))
        """
    symptom = "cleared[0] != 0.0"
    fixes = (BOUND_RESULT,)
    unknown = "Silent: only a function that is known to have no effect is reported, and `….at[…].set(…)` of any value."
    verified_by = "Running the statement: confirmed if it gives a JAX value, or a pytree of them."

    def check(self, event: Event) -> str | None:
        if event.construct == "optimizer state":
            text = f"the optimizer's new state is never read, and the old `{event.subject}` is kept"
            return compose(event, text, f"unpack it: updates, {event.subject} = …")
        if event.construct == ".at, unread":
            text = f"nobody reads `{event.subject}`, to which the changed copy is bound"
            return compose(event, text, "return it, or put it back where the old array came from")
        if event.construct == "in place, unread":
            text = f"nobody reads the new `{event.subject}`, and a JAX array does not change where it is held"
            return compose(event, text, "put the new array where the old one came from, or return it")
        called = f"`{event.construct}`"
        changes = "returns a changed copy" if event.construct.startswith(".") else "changes none of its arguments"
        return compose(event, f"{called} {changes}, and nobody takes its result", "assign the result")
