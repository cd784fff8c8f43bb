"""JIT902: an entry point traces, but its platform has no rule for an operation."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class FailsToLower(Rule):
    """Traced program that a platform cannot express."""

    code = "JIT902"
    name = "fails-to-lower"
    severity = Severity.ERROR
    events = (EventKind.FAILS_TO_LOWER,)
    what = """
        An operation without a rule for the platform that was asked for, or a dtype that its rule does not take: `eig`
        on TPU, a decomposition in float16 on CPU.
        """
    why = """
        Tracing does not show it: the program fails only when it is lowered for the device, which may happen for the
        first time on another machine.
        """
    error = "NotImplementedError: (KeyError(<class 'numpy.float16'>), 'Unsupported dtype float16.')"
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def singular_values(matrix):
            return jnp.linalg.svd(matrix.astype(jnp.float16), compute_uv=False)

        singular_values(jnp.ones((3, 3)))
        """
    remedy = """
        Use another operation or dtype on this platform, or run this part elsewhere (`jax.pure_callback`, another
        device).
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def singular_values(matrix):
            return jnp.linalg.svd(matrix.astype(jnp.float32), compute_uv=False)

        singular_values(jnp.ones((3, 3)))
        """
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Lowering the traced function for each device: confirmed on those that refuse it, refuted on those that take it.
        """

    def check(self, event: Event) -> str | None:
        why = shorten(event.detail.get("message", ""), 60)
        devices = shorten(event.detail.get("devices", "") or "the device", 40)
        problem = f"{subject(event, 'the function')} has no program for {devices}" + (f" ({why})" if why else "")
        return compose(event, problem, "use an operation and dtype that it has")
