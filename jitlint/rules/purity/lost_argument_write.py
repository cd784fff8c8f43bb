"""JIT511: a traced function changes an argument, of which it has a copy."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, under
from jitlint.rules.rule import Rule, Severity


class LostArgumentWrite(Rule):
    """Change of an argument that is lost when the traced function returns."""

    code = "JIT511"
    name = "lost-argument-write"
    severity = Severity.WRONG
    events = (EventKind.ARGUMENT_WRITE,)
    what = """
        A traced function assigns to an item or attribute of an argument, appends to it, calls a method of it that does
        so, or updates an optimizer or metric of NNX, and neither returns the argument nor hands it on. So are variables
        lost of an NNX module that `nnx.merge` makes in the function.
        """
    why = """
        JAX takes arguments apart into arrays and builds them anew for the function. The function changes this copy, and
        only while JAX traces: the dictionary, list or object of the caller stays as it is.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def update(stats, x):
            stats["mean"] = 0.9 * stats["mean"] + 0.1 * x.mean()
            return x - x.mean()

        stats = {"mean": 0.0}
        centred = update(stats, jnp.ones(3))
        """
    remedy = """
        Return the new value, and let the caller keep it: `x, stats = update(stats, x)`. Equinox's modules and frozen
        dataclasses are replaced the same way; `flax.nnx.jit` carries changes of NNX modules back to the caller.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def update(stats, x):
            stats = {"mean": 0.9 * stats["mean"] + 0.1 * x.mean()}
            return x - x.mean(), stats

        stats = {"mean": 0.0}
        centred, stats = update(stats, jnp.ones(3))
        """
    symptom = 'stats["mean"] == 0.0'
    unknown = "Silent if the argument may leave the function: if it is returned, stored, or passed to another function."
    verified_by = "Calling the compiled function again: confirmed if the line runs in the first call only."

    def check(self, event: Event) -> str | None:
        name, parameter = event.detail.get("name", ""), event.detail.get("parameter", "")
        if event.construct == "variable":
            made = event.detail.get("made", "")
            what = f"the object that `{made}` makes anew" if made else "a copy of an argument"
            problem = f"`{name}` changes variables of {what}{under(event)}: the caller does not see it"
            return compose(event, problem, "return the object's state, or use flax.nnx.jit on the object itself")
        problem = f"`{name}` changes a copy of argument `{parameter}`{under(event)}: the caller does not see it"
        library = event.detail.get("library", "")
        return compose(event, problem, f"use {library}.jit" if library else f"return the new `{parameter}`")
