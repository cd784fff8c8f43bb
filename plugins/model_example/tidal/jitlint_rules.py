"""What tidal asks of programs that use it. jitlint loads this file by itself: it may import jitlint, and not tidal."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class SteppedInPython(Rule):
    """Time steps in a Python loop of traced code."""

    code = "TID001"
    name = "stepped-in-python"
    severity = Severity.SLOW
    events = (EventKind.UNROLLED,)
    what = """
        A `for` loop over a `range` in a traced function, whose rounds compute something with JAX.
        """
    why = """
        Each round is recorded, so that compiling takes as long as there are steps. tidal steps in a loop of JAX's.
        """
    error = ""
    example = """
        @tidal.compiled
        def fall(height):
            for _ in range(1000):
                height = height - 0.1
            return height
        """
    remedy = """
        Put what a step does into a force, and let a `tidal.Simulator` run it.
        """
    fixed_example = """
        def fall(height):
            return tidal.Simulator(lambda t, state: {"height": -1.0}).run({"height": height}, 1000).final
        """
    unknown = "Silent, unless the loop is known to go over a range."
    verified_by = "Tracing the function: confirmed if the loop's body ran more than once."

    def check(self, event: Event) -> str | None:
        if event.detail.get("over") != "range":
            return None
        return compose(event, "these steps are recorded one by one", "let a tidal.Simulator run them")
