"""JIT001: a file that cannot be read, parsed or analyzed."""

from jitlint.events.event import Event
from jitlint.rules.rule import Rule, Severity


class CannotAnalyze(Rule):
    """File that cannot be read, parsed or analyzed."""

    code = "JIT001"
    name = "cannot-analyze"
    severity = Severity.ERROR
    events = ()
    what = """
        A file that is missing or unreadable, whose encoding is wrong, or that is not valid Python.
        """
    why = """
        Nothing in this file is checked, and jitlint knows nothing of its functions where other files call them. The
        other files are checked, and jitlint ends with exit status 2.
        """
    error = "SyntaxError: expected ':'"
    example = """
        def step(x)
            return x * 0.5
        """
    remedy = """
        Correct what the message names, or leave the file out with `exclude` in `[tool.jitlint]`.
        """
    fixed_example = """
        def step(x):
            return x * 0.5
        """
    unknown = "Does not apply: the file could be analyzed or it could not."
    verified_by = "Not verified: nothing in the file can be run."

    def check(self, event: Event) -> str | None:
        return None
