"""JIT003: a configuration that jitlint does not understand."""

from jitlint.events.event import Event
from jitlint.rules.rule import Rule, Severity


class BadConfiguration(Rule):
    """Configuration that jitlint does not understand."""

    code = "JIT003"
    name = "bad-configuration"
    severity = Severity.ERROR
    events = ()
    what = """
        A pyproject.toml that is not valid TOML, or a `[tool.jitlint]` table with an unknown key, a value of the wrong
        type, or a code that no rule has.
        """
    why = """
        The setting has no effect: its default is used. The files are checked, and jitlint ends with exit status 2.
        """
    error = "JIT003 unknown key `selects` in [tool.jitlint]; did you mean `select`?"
    language = "toml"
    example = """
        [tool.jitlint]
        selects = ["JIT1"]
        """
    remedy = """
        Correct what the message names.
        """
    fixed_example = """
        [tool.jitlint]
        select = ["JIT1"]
        """
    unknown = "Does not apply: the configuration is understood or it is not."
    verified_by = "Not verified: there is nothing to run."

    def check(self, event: Event) -> str | None:
        return None
