"""JIT502: a traced function rebinds outer state."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HOST_CALLBACK
from jitlint.rules.message import compose, subject, under
from jitlint.rules.rule import Rule, Severity


class StateWrite(Rule):
    """Traced function rebinds outer state."""

    code = "JIT502"
    name = "state-write"
    severity = Severity.WRONG
    events = (EventKind.STATE_WRITE,)
    what = """
        A traced function assigns to a `global` or `nonlocal` name, or to an attribute or element of an outer object.
        """
    why = """
        The assignment happens once, while JAX traces, and not in later calls of the compiled function. Under `jax.vmap`
        alone it happens once in each call, for all examples together: what counts examples counts one.
        """
    error = ""
    example = """
        import jax

        steps = 0

        @jax.jit
        def step(x):
            global steps
            steps += 1
            return x * 0.5

        step(step(8.0))
        """
    remedy = """
        Return the new state and let the caller keep it.
        """
    fixed_example = """
        import jax

        @jax.jit
        def step(x, steps):
            return x * 0.5, steps + 1

        _, steps = step(*step(8.0, 0))
        """
    symptom = "steps != 2"
    fixes = (HOST_CALLBACK,)
    unknown = "Silent: only objects that are known to outlive the trace are reported."
    verified_by = "Calling the compiled function again: confirmed if the state changes in the first call only."

    def check(self, event: Event) -> str | None:
        name = f"`{event.detail['name']}`" if event.detail.get("name") else subject(event, "outer state")
        problem = f"{name} is changed ({event.construct}) once, while tracing{under(event)}, not in each call"
        if event.detail.get("mapped"):
            problem = f"{name} is counted up ({event.construct}) once{under(event)}, for all examples together"
            return compose(event, problem, "count outside, by the size of the batch")
        return compose(event, problem, "return the new value instead")
