"""JIT904: an entry point needs more memory than a device has."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject
from jitlint.rules.rule import Rule, Severity


class DoesNotFit(Rule):
    """Program that does not fit a device's memory."""

    code = "JIT904"
    name = "does-not-fit"
    severity = Severity.ERROR
    events = (EventKind.DOES_NOT_FIT,)
    what = """
        A compiled program that needs more memory than the device has, for its arguments, results and temporaries
        together. Either the compiler says so, or the sizes that it reports add up to more.
        """
    why = """
        The program fails when it is started, which may be late in a long run.
        """
    error = "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating … bytes."
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def middle_sum(scale):
            positions = jnp.arange(2.0**20)
            pairs = scale * positions[:, None] + positions
            return jnp.sort(pairs, axis=0)[2**19].sum()

        print(middle_sum(0.5))
        """
    remedy = """
        Do the work in parts (`jax.lax.map` with `batch_size`, `scan`), recompute instead of keeping (`jax.checkpoint`),
        donate arguments, or spread the arrays over several devices.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def middle_sum(scale):
            positions = jnp.arange(2.0**10)
            pairs = scale * positions[:, None] + positions
            return jnp.sort(pairs, axis=0)[2**9].sum()

        print(middle_sum(0.5))
        """
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Compiling for each device and comparing what the program needs with the memory of the device, or with
        `--memory`.
        """

    def check(self, event: Event) -> str | None:
        devices = shorten(event.detail.get("devices", "") or "the device", 60)
        problem = f"{subject(event, 'the function')} does not fit the memory of {devices}"
        return compose(event, problem, "do it in parts, or recompute instead of keeping")
