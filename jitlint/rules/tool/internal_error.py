"""JIT000: jitlint itself failed."""

from jitlint.events.event import Event
from jitlint.rules.rule import Rule, Severity


class InternalError(Rule):
    """Error in jitlint itself, which left a part of its work undone."""

    code = "JIT000"
    name = "internal-error"
    severity = Severity.ERROR
    events = ()
    what = """
        An exception in jitlint's own code, while it read one file, interpreted one function, or applied one rule; or
        the end of the process that did so, by a crash or for want of memory.
        """
    why = """
        That file, function or rule is not checked to its end; everything else is, and jitlint ends with exit status 2.
        The fault is jitlint's, whatever the code looks like.
        """
    error = "JIT000 internal error (interpreting, `train.step`): KeyError: 'x', jitlint/analysis/calls.py:82; …"
    language = "console"
    example = """
        $ jitlint train.py
        train.py: JIT000 internal error (interpreting, `train.step`): KeyError: 'x', jitlint/analysis/calls.py:82; …
        """
    remedy = """
        Send the lines that follow on standard error (`report` in the JSON) to the makers of jitlint. Nothing of your
        code is in them; the code that set it off helps, too, if it can be shown. Until then, leave the file out with
        `exclude` in `[tool.jitlint]`.
        """
    fixed_example = """
        jitlint 0.1.0, libcst 1.9.0, Python 3.11.7 on linux
        interpreting: KeyError
          jitlint/analysis/calls.py:82 call: return known[name]
        """
    unknown = "Does not apply: jitlint failed or it did not."
    verified_by = "Not verified: it says nothing of the code."

    def check(self, event: Event) -> str | None:
        return None
