"""JIT712: a collective such as `lax.psum` over an axis whose name nothing binds."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class UnboundAxisName(Rule):
    """Collective over an axis whose name nothing binds."""

    code = "JIT712"
    name = "unbound-axis-name"
    severity = Severity.ERROR
    events = (EventKind.AXIS_NAME,)
    what = """
        `lax.psum`, `lax.pmean`, `lax.all_gather`, `lax.axis_index` and their like, over the name of an axis that no
        `vmap`, `pmap` or `shard_map` around them gives.
        """
    why = """
        A collective works on an axis that a transform maps over, and finds it by its name. Under `jax.jit` or
        `jax.grad` alone there is none, and a `vmap` without `axis_name` has an axis that has no name.
        """
    error = "NameError: Found an unbound axis name: batch. …"
    example = """
        import jax
        import jax.numpy as jnp

        def normalize(x):
            return x - jax.lax.pmean(x, "batch")

        jax.vmap(normalize)(jnp.arange(3.0))
        """
    remedy = """
        Give the axis its name where it is mapped: `jax.vmap(f, axis_name="batch")`. Where nothing is mapped, compute
        without the collective, as by `jnp.mean(x, axis=0)`.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        def normalize(x):
            return x - jax.lax.pmean(x, "batch")

        jax.vmap(normalize, axis_name="batch")(jnp.arange(3.0))
        """
    unknown = "Silent: only a name is reported that is known, within transforms whose names are."
    verified_by = "Calling or tracing the function: confirmed if JAX finds the name unbound."

    def check(self, event: Event) -> str | None:
        axis = event.detail.get("axis", "")
        problem = f"`{event.construct}` is over the axis `{axis}`, which no transform around it names"
        return compose(event, problem, f'map with axis_name="{axis}", or compute it without a collective')
