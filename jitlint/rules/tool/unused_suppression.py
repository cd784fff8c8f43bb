"""JIT002: a comment that leaves nothing out."""

from jitlint.events.event import Event
from jitlint.rules.rule import Rule, Severity


class UnusedSuppression(Rule):
    """Comment that suppresses no finding."""

    code = "JIT002"
    name = "unused-suppression"
    severity = Severity.HINT
    events = ()
    what = """
        A code in `# jitlint: ignore[…]`, or one of jitlint's in `# noqa: …`, that suppresses no finding on its line;
        `# jitlint: ignore` on a line without findings. Codes that only `--verify` reports (`JIT9`) are not checked, nor
        is a bare `# noqa`, which may be meant for another tool.
        """
    why = """
        The code that needed the comment has changed. The comment tells readers of a problem that is gone, and would
        hide a new one on the line.
        """
    error = ""
    example = """
        import jax

        @jax.jit
        def step(x):
            if x.ndim > 1:  # jitlint: ignore[JIT101] the rank is known
                x = x.sum(axis=0)
            return x

        step(jax.numpy.ones((2, 3)))
        """
    remedy = """
        Remove the comment, or the code from its list.
        """
    fixed_example = """
        import jax

        @jax.jit
        def step(x):
            if x.ndim > 1:
                x = x.sum(axis=0)
            return x

        step(jax.numpy.ones((2, 3)))
        """
    unknown = "Does not apply: a comment counts as used if it suppresses any finding, whatever its confidence."
    verified_by = "Not verified: there is nothing to run."

    def check(self, event: Event) -> str | None:
        return None
