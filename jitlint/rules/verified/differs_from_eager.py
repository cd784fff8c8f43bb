"""JIT908: under jit a function gives another result than without."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, shorten, subject, under
from jitlint.rules.rule import Rule, Severity


class DiffersFromEager(Rule):
    """Result that differs under jit."""

    code = "JIT908"
    name = "differs-from-eager"
    severity = Severity.WRONG
    events = (EventKind.DIFFERS_FROM_EAGER,)
    what = """
        A function that gives one result when Python runs it and another when it is compiled, by more than rounding
        explains: Python numbers that become arrays of 32 bits, code that asks whether it is traced, a fallback for
        tracers.
        """
    why = """
        Tests that run without jit say nothing of the compiled function.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def fifth_power(n):
            return n**5

        result = fifth_power(1_000)
        """
    remedy = """
        Compute with the same types in both: turn Python numbers into arrays of a dtype that holds the results, and make
        no result depend on whether the code is traced.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def fifth_power(n):
            return jnp.asarray(n, dtype=jnp.float32) ** 5

        result = fifth_power(1_000)
        """
    symptom = "abs(float(result) / 1e15 - 1) > 1e-3"
    unknown = """
        Silent without `--verify=all`: the analyzer never predicts it.
        """
    verified_by = """
        Running the function with and without jit on the same inputs. Both must be repeatable, and the difference must
        be larger than what a change of the inputs' last bits makes.
        """

    def check(self, event: Event) -> str | None:
        difference = shorten(event.detail.get("difference", ""), 70)
        problem = f"{subject(event, 'the function')} gives another result{under(event)} than without"
        problem += f" ({difference})" if difference else ""
        return compose(event, problem, "compute with the same types in both")
