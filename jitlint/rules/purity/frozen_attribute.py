"""JIT508: attribute assignment on an immutable object."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import REPLACED_ATTRIBUTE
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class FrozenAttribute(Rule):
    """Attribute assignment on an immutable object."""

    code = "JIT508"
    name = "frozen-attribute"
    severity = Severity.ERROR
    events = (EventKind.FROZEN,)
    what = """
        An assignment to an attribute of a NamedTuple, a frozen dataclass, an Equinox or Flax module or another
        immutable pytree class; or to a variable of a Flax NNX module that the traced function captures.
        """
    why = """
        Such classes refuse assignment, so that a function's only result is what it returns. A variable of NNX changes
        only within the trace that it belongs to (`flax.errors.TraceContextError`).
        """
    error = "dataclasses.FrozenInstanceError: cannot assign to field 'step'"
    example = """
        from dataclasses import dataclass

        import jax

        @jax.tree_util.register_dataclass
        @dataclass(frozen=True)
        class State:
            step: jax.Array

        @jax.jit
        def advance(state):
            state.step = state.step + 1
            return state

        advance(State(0))
        """
    remedy = """
        Build a new object: `dataclasses.replace`, `._replace` of a NamedTuple, `.replace` of a Flax dataclass,
        `equinox.tree_at`. Pass an NNX module to `nnx.jit` as an argument.
        """
    fixed_example = """
        from dataclasses import dataclass, replace

        import jax

        @jax.tree_util.register_dataclass
        @dataclass(frozen=True)
        class State:
            step: jax.Array

        @jax.jit
        def advance(state):
            return replace(state, step=state.step + 1)

        advance(State(0))
        """
    fixes = (REPLACED_ATTRIBUTE,)
    unknown = "Silent: only objects of a class that is known to be immutable, and known variables, are reported."
    verified_by = "Running the code: confirmed if the assignment raises at this place."

    def check(self, event: Event) -> str | None:
        if "variable" in event.detail:
            problem = f"`{event.detail['variable']}` was made outside of the trace, so that Flax refuses to change it"
            return compose(event, problem, "pass its module as an argument of nnx.jit")
        cls = f"`{event.detail['class']}`" if event.detail.get("class") else "the object's class"
        attribute = f"`{event.detail['attribute']}`" if event.detail.get("attribute") else "an attribute"
        problem = f"{cls} is immutable, so assigning to {attribute} fails"
        return compose(event, problem, "build a new object (dataclasses.replace, ._replace)")
