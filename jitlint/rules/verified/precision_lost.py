"""JIT907: 64 bits are asked for and 32 are given."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class PrecisionLost(Rule):
    """Request for 64 bits that gives 32."""

    code = "JIT907"
    name = "precision-lost"
    severity = Severity.WRONG
    events = (EventKind.PRECISION_LOST,)
    what = """
        A traced function asks for a dtype of 64 bits (`jnp.float64`, `"int64"`) while JAX is set to 32 bits, and gets
        an array of 32 bits.
        """
    why = """
        JAX only warns, and only once. Sums lose digits, large integers overflow, and results differ from NumPy's.
        """
    error = ""
    example = """
        import jax
        import jax.numpy as jnp

        wide = jnp.float64

        @jax.jit
        def total(values):
            return jnp.sum(values, dtype=wide)

        result = total(jnp.ones(8))
        """
    remedy = """
        Ask for 32 bits if they are enough; otherwise set `jax_enable_x64` before the first array is made.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        wide = jnp.float32

        @jax.jit
        def total(values):
            return jnp.sum(values, dtype=wide)

        result = total(jnp.ones(8))
        """
    symptom = "result.dtype != wide"
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Tracing the function: confirmed if JAX says at this place that a dtype is not available.
        """

    def check(self, event: Event) -> str | None:
        why = shorten(event.detail.get("message", "").partition(" is not available")[0], 60)
        problem = f"{subject(event, 'the function')} gets 32 bits where 64 are asked for" + (f" ({why})" if why else "")
        return compose(event, problem, "ask for 32, or set jax_enable_x64")
