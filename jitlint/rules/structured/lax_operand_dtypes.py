"""JIT701: operands of different dtypes in a lax function."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class LaxOperandDtypes(Rule):
    """Operands of different dtypes in a `lax` function."""

    code = "JIT701"
    name = "lax-operand-dtypes"
    severity = Severity.ERROR
    events = (EventKind.OPERAND_DTYPES,)
    what = """
        A call of a binary function of `jax.lax` with operands of different dtypes.
        """
    why = """
        `jax.lax` is the strict layer under `jax.numpy`: it does not promote types.
        """
    error = (
        "TypeError: lax.add requires arguments to have the same dtypes, got int32, float32. (Tip: jnp.add is a "
        "similar function that does automatic type promotion on inputs)."
    )
    example = """
        from jax import lax

        lax.add(1, 1.0)
        """
    remedy = """
        Use the function of `jax.numpy`, which promotes, or convert one operand.
        """
    fixed_example = """
        import jax.numpy as jnp

        jnp.add(1, 1.0)
        """
    unknown = "Silent: only operands whose dtypes are all known are reported."
    verified_by = "Running or tracing the call: confirmed if JAX refuses the dtypes."

    def check(self, event: Event) -> str | None:
        dtypes = f" ({event.detail['dtypes']})" if event.detail.get("dtypes") else ""
        problem = f"`{event.construct}` does not promote, and its operands have different dtypes{dtypes}"
        return compose(event, problem, "use the jax.numpy function or convert one operand")
