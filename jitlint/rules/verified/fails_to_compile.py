"""JIT903: a device's compiler refuses an entry point's program."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class FailsToCompile(Rule):
    """Program that a device's compiler refuses."""

    code = "JIT903"
    name = "fails-to-compile"
    severity = Severity.ERROR
    events = (EventKind.FAILS_TO_COMPILE,)
    what = """
        A program that traces and lowers, but that the compiler of a device refuses: an option that it does not have, a
        64-bit FFT on TPU, a kernel that asks for too much on-chip memory.
        """
    why = """
        Only the compiler knows, and the one for the target device often runs last, when the program is deployed.
        """
    error = "jax.errors.JaxRuntimeError: INVALID_ARGUMENT: …No such compile option: 'xla_fuse_everything'…"
    example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, compiler_options={"xla_fuse_everything": True})
        def norm(vector):
            return jnp.sqrt(jnp.sum(vector * vector))

        norm(jnp.ones(3))
        """
    remedy = """
        Do what the compiler's message asks for: correct the option, choose another dtype, make blocks smaller.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, compiler_options={"xla_cpu_enable_fast_math": False})
        def norm(vector):
            return jnp.sqrt(jnp.sum(vector * vector))

        norm(jnp.ones(3))
        """
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Compiling the lowered function for each device, ahead of time where the device is not present. If this machine
        lacks something (a compiler, a library, a driver), the program is not blamed.
        """

    def check(self, event: Event) -> str | None:
        why = shorten(event.detail.get("message", ""), 70)
        devices = shorten(event.detail.get("devices", "") or "the device", 40)
        problem = f"the compiler of {devices} refuses {subject(event, 'the function')}" + (f" ({why})" if why else "")
        return compose(event, problem, "do as it asks")
