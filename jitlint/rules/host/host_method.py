"""JIT308: a method or attribute that only concrete arrays have."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import UNBLOCKED
from jitlint.rules.message import compose, traced
from jitlint.rules.rule import Rule, Severity


class HostMethod(Rule):
    """Method or attribute that only concrete arrays have."""

    code = "JIT308"
    name = "host-method"
    severity = Severity.ERROR
    events = (EventKind.HOST_METHOD,)
    what = """
        A method or attribute that concrete JAX arrays have and traced ones lack, such as `.block_until_ready()`,
        `.devices()` or `.addressable_shards`.
        """
    why = """
        These ask about a buffer on a device, and while JAX traces there is none.
        """
    error = "AttributeError: The 'block_until_ready' method is not available on traced array with shape float32[]."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def wave(x):
            return jnp.sin(x).block_until_ready()

        wave(1.0)
        """
    remedy = """
        Use it on the result, outside of the traced function.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def wave(x):
            return jnp.sin(x)

        wave(1.0).block_until_ready()
        """
    fixes = (UNBLOCKED,)
    unknown = "Silent: only an attribute of a value that is known to be traced is reported."
    verified_by = "Tracing the function: confirmed if JAX refuses the attribute at this place."

    def check(self, event: Event) -> str | None:
        problem = f"`{event.construct}` is for concrete arrays, not for {traced(event)}"
        return compose(event, problem, "use it outside the traced function")
