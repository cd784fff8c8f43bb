"""JIT501: a traced function reads state that changes."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import GLOBAL_ARGUMENT
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class StaleState(Rule):
    """Traced function reads state that is changed elsewhere."""

    code = "JIT501"
    name = "stale-state"
    severity = Severity.WRONG
    events = (EventKind.STATE_READ,)
    what = """
        A traced function reads a global, a closure's variable, an attribute or a container's element that is rebound
        or changed elsewhere. So does one that runs a module of Flax NNX from outside, whose variables an optimizer
        updates.
        """
    why = """
        The value is read once, while JAX traces, and becomes a constant of the compiled program. Later calls do not
        see the change, until something else makes JAX trace again.
        """
    error = ""
    example = """
        import jax

        factor = 2.0

        @jax.jit
        def scale(x):
            return x * factor

        scale(1.0)
        factor = 5.0
        result = scale(1.0)
        """
    remedy = """
        Pass the value as an argument. State that never changes may stay where it is.
        """
    fixed_example = """
        import jax

        factor = 2.0

        @jax.jit
        def scale(x, factor):
            return x * factor

        scale(1.0, factor)
        factor = 5.0
        result = scale(1.0, factor)
        """
    symptom = "result != factor"
    fixes = (GLOBAL_ARGUMENT,)
    unknown = """
        Silent: only state is reported whose change jitlint sees, in a run that calls the function before and after it.
        Where no run shows the second call, it is likely; where none shows the order, or the change is put back, it is
        only possible.
        """
    verified_by = """
        Changing the state and tracing again: confirmed if the program differs while the compiled one is still used.
        """

    def check(self, event: Event) -> str | None:
        name = f"`{event.detail['name']}`" if event.detail.get("name") else subject(event, "outer state")
        writer = f" at {event.detail['writer']}" if event.detail.get("writer") else " elsewhere"
        problem = f"{name} is read once, while tracing, but changed{writer}, so compiled calls use a stale value"
        return compose(event, problem, "pass it as an argument")
