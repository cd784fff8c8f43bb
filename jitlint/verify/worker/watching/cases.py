"""Cases: what is known of each probe so far, and what each run adds."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import jax

from ..inputs.known_inputs import GUESSED
from ..inputs.specs import describe_value
from ..inside_jax import failures
from ..inside_jax.failures import Failure
from ..messages import Words
from ..user_code.probes import Probe, names_quoted
from ..user_code.sites import Site
from . import kept, kinds, slots
from .kept import KeptCall
from .program_calls import PlaceCalls
from .scopes import value_of
from .watch import Hit, Run

_LONGEST = 200
"""So many characters of a call's arguments are shown."""


_LONG = 3.0
"""What takes so many seconds is not repeated as long as there may be something shorter."""


@dataclass
class Witness:
    """A run that executed a probe's place; `thunk` repeats it."""

    thunk: Callable[[], Any]
    run: Run
    inputs: list[str]

    @property
    def is_short(self) -> bool:
        """Whether it can be repeated several times."""
        return self.run.seconds < _LONG


@dataclass
class Case:
    """What is known of one probe.

    Attributes:
        probe: the probe.
        outcome: "" as long as it is open, then "confirmed", "refuted" or "unclear".
        code: the reason, in the linter's closed list.
        inputs: the inputs that decided it.
        evidence: what was seen, for the verdict.
        weak: a failure that proves it only if nothing clearer comes, with its inputs and the run's label.
        clean: the inputs of the runs that speak against the suspicion.
        came_back: whether any call with inputs came to its end.
        reached: how often the place was executed.
        staged: how often it was executed under a trace.
        other: the failure at another place, of the run that got furthest.
        blocked: a failure at another place that hides this one for all inputs.
        furthest: how many lines the run of `other` executed.
        witness: the run that says most of a silent event.
        targets: the labels of the targets that were tried.
        settled: whether inputs that are no guesses were harmless, so that no guesses are needed.
        calls: what the calls of the user's programs did with the place.
        fails_here: whether code of the user's failed at the place, though not as predicted: that refutes nothing.
        kept: what calls of the user's programs got that was kept for further calls.
    """

    probe: Probe
    outcome: str = ""
    code: str = ""
    inputs: list[str] = field(default_factory=list)
    evidence: dict[str, Any] = field(default_factory=dict)
    weak: tuple[Failure, list[str], str | Words] | None = None
    clean: list[list[str]] = field(default_factory=list)
    came_back: bool = False
    reached: int = 0
    staged: int = 0
    other: Failure | None = None
    blocked: Failure | None = None
    furthest: int = 0
    witness: Witness | None = None
    targets: list[str] = field(default_factory=list)
    settled: bool = False
    calls: PlaceCalls = field(default_factory=PlaceCalls)
    fails_here: bool = False
    kept: list[KeptCall] = field(default_factory=list)

    @property
    def origin(self) -> str:
        """The origin of the inputs that decided the case."""
        witness = self.witness.inputs if self.witness is not None else None
        return str(getattr(self.inputs, "origin", None) or getattr(witness, "origin", "search"))

    @property
    def decided(self) -> bool:
        return self.outcome in ("confirmed", "refuted")

    @property
    def is_reached(self) -> bool:
        """Whether the place was executed where its event can be seen: under a trace, for most kinds."""
        return bool(self.staged if kinds.needs_trace(self.probe) else self.reached)

    @property
    def is_seen(self) -> bool:
        """Whether it is decided, or a silent event's place was executed as it has to be for its judge."""
        if (
            self.decided
            or not kinds.is_silent(self.probe)
            or self.witness is None
            or self.witness.run.failure is not None
        ):
            return self.decided
        if self.witness.run.interrupted and not kinds.varies(
            self.probe
        ):  # what differed before it was stopped did differ
            return False
        if not self._varies_in(self.witness.run):
            return False
        return not kinds.needs_trace(self.probe) or bool(self.witness.run.hit(self.probe).captures)

    def confirm(self, inputs: list[str], **evidence: Any) -> None:
        """Settles the case: the event was observed."""
        self._forget_failure()
        self.outcome, self.code, self.inputs = "confirmed", "observed", inputs
        self.evidence.update(evidence)

    def refute(self, inputs: list[str], **evidence: Any) -> None:
        """Settles the case: the place ran under tracing, and the event did not come."""
        if self.fails_here:
            self.unclear("not-attributed")
            return
        if kinds.is_silent(self.probe) and self._goes_another_way(inputs):
            self.unclear("not-shown")
            return
        self._forget_failure()
        self.outcome, self.code, self.inputs = "refuted", "harmless", inputs
        self.evidence.update(evidence)

    def _goes_another_way(self, inputs: list[str]) -> bool:
        """Whether the run that was judged chose no option that the suspicion assumes, so that it says nothing of it."""
        described = inputs if self.witness is None or hasattr(inputs, "origin") else self.witness.inputs
        origin = getattr(described, "origin", "search")
        chosen = names_quoted(self.probe.assumed).intersection(getattr(described, "options", ()))
        return (origin in GUESSED or origin == "program") and _rests_on_more(self.probe) and not chosen

    def _forget_failure(self) -> None:
        """Drops an earlier failure from the evidence: it says nothing about the decision."""
        for name in ("exception", "message", "place"):
            self.evidence.pop(name, None)

    def reopen(self) -> None:
        """Takes a decision back."""
        self.outcome, self.code, self.inputs = "", "", []
        self.evidence.clear()

    def unclear(self, code: str, **evidence: Any) -> None:
        """Leaves the case open, for a reason of the closed list; the first reason given stays.

        If the guard or the sandbox stopped the code, that is the reason instead.
        """
        if not self.outcome:
            self.outcome, self.code = "unclear", "refused" if evidence.pop("refused", False) else code
            self.evidence.update(evidence)

    def lacks_compilation(self, run: Run) -> bool:
        """Whether a run executed the place without compiling, and the event is that something compiles, or is told by
        what was computed.
        """
        rests_on_results = self.probe.kind in kinds.CACHED or kept.is_of_kept(self.probe)
        return run.stand_ins.made and rests_on_results and bool(run.hit(self.probe).count)

    def _worth(self, run: Run) -> tuple[bool, ...]:
        """How much a run says of a silent event: tracing the place counts most, then coming to an end, then soon."""
        staged = bool(run.hit(self.probe).captures) and self.probe.kind not in kinds.EAGER
        return not self.lacks_compilation(run), self._varies_in(run), staged, run.clean, run.seconds < _LONG

    def _varies_in(self, run: Run) -> bool:
        """Whether a run may show what differs from round to round: an option may turn that on.

        What differs from call to call is seen when the run is looked at.
        """
        if kept.is_of_kept(self.probe):
            return False
        name = entry_name(self.probe)
        traces = sum(len(calls) for code, calls in run.traced.items() if code.co_name == name)
        return not kinds.varies(self.probe) or (traces > 1 and run.compiled.count(f"jit({name})") > 1)

    def look(
        self, run: Run, inputs: list[str], thunk: Callable[[], Any], *, own: bool, predicted: bool, guessed: bool
    ) -> None:
        """Takes in what a run saw.

        Args:
            run: the run.
            inputs: its inputs, for people.
            thunk: repeats it.
            own: whether it ran for this probe.
            predicted: whether it went the way that the analyzer predicted.
            guessed: whether we made up the inputs.
        """
        hit = run.hit(self.probe)
        self.reached += hit.count
        self.staged += hit.staged
        if hit.count and (self.witness is None or self._worth(run) > self._worth(self.witness.run)):
            self.witness = Witness(thunk, run, inputs)
        self.came_back = self.came_back or (run.clean and bool(inputs))
        failure = run.failure
        if not self.decided and hit.kept:
            self._look_at_kept(hit.kept, inputs, guessed=guessed)
        if self.decided:
            return
        if failure is not None and located(self.probe, failure):
            staged = failure.site is not None and (failure.site.file, failure.site.line) in run.raised_staged
            first = bool(getattr(inputs, "first", False))
            proven = failures.bears_out(self.probe.kind, failure) and _is_predicted(self.probe, run, failure)
            if proven and (first or _is_of_this_run(self.probe, run, failure)):
                self.confirm(inputs, **failure_evidence(failure), where=_where(run, hit, inputs))
                return
            weak = failures.bears_out(self.probe.kind, failure, weak=True) and _is_of_a_tracer(self.probe, run, failure)
            if weak and staged and self.weak is None:
                self.weak = (failure, inputs, run.label)
            self.fails_here = self.fails_here or not (guessed or proven)
        stopped = not guessed and failure is not None and failures.stops(failure) and not located(self.probe, failure)
        stopped = stopped and self._concerns(inputs)
        if self.blocked is None and ((own and self.is_hidden_by(failure)) or stopped):
            self.blocked = failure
        if failure is not None and failure.site is not None and len(run.lines) >= self.furthest:
            self.other, self.furthest = failure, len(run.lines)
        one_way = guessed or getattr(inputs, "origin", "") == "program"  # and not the user's word
        if predicted and run.clean and not (one_way and _rests_on_more(self.probe)) and self._is_harmless(run, guessed):
            self.clean.append(inputs)

    def _look_at_kept(self, calls: list[KeptCall], inputs: list[str], *, guessed: bool) -> None:
        """Confirms that a call gets what was kept for another: one of the same run, or of the user's programs."""
        if not guessed:
            self.kept += calls
        found = kept.mistaken(calls) or kept.mistaken(self.kept)
        if found is not None:
            first, second = (describe_value(call.left_out) for call in found)
            self.confirm(inputs, kept_for=first, given_to=second if second != first else f"another {second}")

    def _concerns(self, inputs: list[str]) -> bool:
        """Whether a run goes where the suspicion is: not that of a program with an option that it does not name."""
        return names_quoted(self.probe.assumed).issuperset(getattr(inputs, "options", ()))

    def is_hidden_by(self, failure: Failure | None) -> bool:
        """Whether a failure at another place, which all inputs run into, hides this one."""
        return failure is not None and failures.hides(failure) and not located(self.probe, failure)

    def _is_harmless(self, run: Run, guessed: bool) -> bool:
        """Whether a clean run speaks against the suspicion: the event could have happened at the place, and did not."""
        hit = run.hit(self.probe)
        if not _ran_its_loop(self.probe, run):
            return False
        if self.probe.kind not in kinds.OF_TRACERS and hit.count and not guessed:
            return True
        if _omits_source(self.probe, run):
            return False
        if guessed and (_reads_none(self.probe, hit) or _is_other_container(self.probe, hit)):
            return False
        return bool(hit.staged) and self._in_entry(run)

    def _in_entry(self, run: Run) -> bool:
        """Whether a run traced the place inside the predicted function; other runs cannot refute."""
        name = self.probe.entry_function.rpartition(":")[2]
        traced = {capture.function.__qualname__ for capture in run.hit(self.probe).captures}
        return not name or name in traced


def _ran_its_loop(probe: Probe, run: Run) -> bool:
    """Whether a run came through the loop that a derivative is suspected to go through, if that is the suspicion."""
    if probe.kind != "open-loop" or probe.origin is None:
        return True
    return any((probe.origin.file, line) in run.lines for line in range(probe.origin.line, probe.origin.end_line + 1))


_GIVEN = re.compile(r"(is an array|is a `\w+`|runs under jit|traces it)$")
"""Assumptions that made-up inputs fulfil."""


def _rests_on_more(probe: Probe) -> bool:
    """Whether a suspicion assumes what other inputs may not fulfil: which option is chosen, or what is called."""
    return not all(_GIVEN.search(text) for text in probe.assumed)


def _where(run: Run, hit: Hit, inputs: list[str]) -> str | Words:
    """What a run did; of a program, which function it had traced, and with what."""
    if not isinstance(run.label, Words) or getattr(inputs, "origin", "") != "program" or not hit.captures:
        return run.label
    capture = hit.captures[0]
    given = ", ".join(f"{name}={describe_value(value)}" for name, value in capture.arguments.items())
    shown = given if len(given) <= _LONGEST else f"{given[:_LONGEST]}…"
    return Words((*run.label.parts, f", which traces {capture.function.__name__}({shown})"))


def _omits_source(probe: Probe, run: Run) -> bool:
    """Whether a run left the argument at its default, or passed something plain, that the suspicion says is traced."""
    if probe.source is None:
        return False
    function, parameter = probe.source
    calls = [call for code, traced in run.traced.items() if code.co_name == function for call in traced]
    given = [call[parameter] for call in calls if parameter in call]
    return bool(given) and all(isinstance(leaf, _PLAIN) for leaf in jax.tree_util.tree_leaves(given))


_PLAIN = (bool, int, float, complex, str, bytes)


def _reads_none(probe: Probe, hit: Hit) -> bool:
    """Whether something at the place was None, as for an argument that we left out: then nothing could happen."""
    expression = probe.expression
    if expression is None or not hit.scopes:
        return False
    parts = [part for part in ast.walk(expression) if isinstance(part, (ast.Name, ast.Attribute))]
    return any(slots.is_none(part, hit.scopes[0]) for part in parts)


def _is_of_a_tracer(probe: Probe, run: Run, failure: Failure) -> bool:
    """Whether a tracer caused a failure, by its message or by the values at the place when it was raised."""
    if failures.names_tracer(failure):
        return True
    scope = run.hit(probe).failed
    return probe.expression is not None and scope is not None and slots.holds_tracer(probe.expression, scope)


_CONTAINERS = {"list": list, "tuple": tuple, "str": str, "dict": dict}


def _is_other_container(probe: Probe, hit: Hit) -> bool:
    """Whether the indexed object at the place has another type than predicted, so that nothing could happen."""
    wanted = _CONTAINERS.get(probe.construct)
    node = probe.expression
    if wanted is None or probe.kind not in ("index", "hash") or not hit.scopes:
        return False
    indexed = node.value if isinstance(node, ast.Subscript) else None
    if isinstance(node, ast.Call) and node.args:
        indexed = node.args[0]
    return indexed is None or not isinstance(value_of(indexed, hit.scopes[0]), wanted)


def located(probe: Probe, failure: Failure) -> bool:
    """Whether a failure arose at the probe's place or, for arguments that a call rejects, names the function there."""
    site = failure.site
    if site is not None and site.overlaps(probe.site) and not _is_of_a_neighbour(probe, failure, site):
        return True
    if probe.kind == "donated":
        return any(outer.overlaps(probe.site) for outer in failure.sites)
    if probe.kind == "static-name" and site is not None and probe.entry_site is not None:
        return site.overlaps(probe.entry_site)
    if probe.kind in _REJECTED and _is_at_definition(probe):
        name = re.escape(entry_name(probe))
        named = re.search(r"at path (\w+)", failure.message)
        parameter = probe.detail.get("parameter", "")
        of_function = re.search(rf"(function|method) (\S+\.)?{name} ", failure.message) is not None
        return (of_function and named is not None and named.group(1) == parameter) or (
            probe.kind == "static-value" and "static arguments" in failure.message
        )
    if probe.kind in ("iterator-result", "invalid-result"):
        name = re.escape(entry_name(probe))
        return bool(name) and re.search(rf"function (\S+\.)?{name} at ", failure.message) is not None
    return False


def _is_of_a_neighbour(probe: Probe, failure: Failure, site: Site) -> bool:
    """Whether a failure at the place belongs to a part of its expression, or to a call in or around it."""
    if probe.kind == "bool" and probe.construct in _STATEMENTS and "CALL" in failure.operation:
        return True
    whole = probe.kind in kinds.OF_TRACERS - {"format", "host-method"} and isinstance(probe.expression, _WHOLE)
    return whole and site.within(probe.site)


def entry_name(probe: Probe) -> str:
    """The last part of the name of the traced function."""
    return (probe.entry_function or probe.symbol).rpartition(":")[2].rpartition(".")[2]


def _is_at_definition(probe: Probe) -> bool:
    """Whether the finding stands at the transform and not at a call, so that every call shows it."""
    return probe.entry_site is not None and probe.entry_site.overlaps(probe.site)


_STATEMENTS = frozenset(
    (
        *("if", "while", "assert", "ternary", "and", "or", "not", "comparison-chain", "comprehension", "match"),
        *("in", "==", "!="),
    )
)
"""Constructs in which Python itself asks for a truth value, without a call."""

_WHOLE = (ast.Call, ast.Compare, ast.BinOp, ast.Subscript, ast.Attribute, ast.Dict, ast.Set)
"""Expressions with an instruction of their own: a failure inside them belongs to another expression."""

_REJECTED = frozenset(("iterator-argument", "invalid-argument", "static-value"))


def _is_predicted(probe: Probe, run: Run, failure: Failure) -> bool:
    """Whether a failure of the right type is the predicted one, and not caused by made-up inputs."""
    if probe.kind in kinds.OF_TRACERS and not _is_of_a_tracer(probe, run, failure):
        return False
    if probe.kind in ("carry", "branches"):
        return failures.shows_difference(failure, probe.detail.get("difference", ""))
    if probe.kind not in _REJECTED:
        return True
    named = re.search(r"at path (\w+)([.\[]\w)?", failure.message)
    parameter = probe.detail.get("parameter", "")
    if parameter and named is not None and named.group(1) not in (parameter, "args", "kwargs"):
        return False
    if parameter and named is not None and named.group(1) == parameter and named.group(2):
        return True  # a part of the argument, of a type of its own
    found = re.search(r"of type <class '(?:[\w.]+\.)?(\w+)'>", failure.message)
    return found is None or _fits(probe.construct, found.group(1))


def _is_of_this_run(probe: Probe, run: Run, failure: Failure) -> bool:
    """Whether this run donated the buffer that it then missed: an earlier run may have donated one of the module's."""
    if probe.kind != "donated":
        return True
    if "same" not in failure.message and not _is_given_away(probe, run):
        return False
    path, _, line = probe.detail.get("donated", "").rpartition(":")
    given = {at for at in run.lines if str(at[1]) == line and PurePath(at[0]).name == PurePath(path).name}
    if (probe.site.file, probe.site.line) in given:
        return "same" in failure.message or run.hit(probe).count > 1
    return bool(given)


def _is_given_away(probe: Probe, run: Run) -> bool:
    """Whether a value at the place has lost its buffer: the call there may miss another value's."""
    hit = run.hit(probe)
    scope = hit.failed or (hit.scopes[-1] if hit.scopes else None)
    if probe.expression is None or scope is None:
        return True
    leaves = jax.tree_util.tree_leaves(slots.values_in(probe.expression, scope))
    return any(getattr(leaf, "is_deleted", bool)() for leaf in leaves)


def _fits(construct: str, type_name: str) -> bool:
    """Whether a rejected value has the predicted type; types that made-up inputs have must be named explicitly."""
    by_type = {
        "ArrayImpl": "array",
        "ndarray": "array",
        "function": "function",
        "str": "str",
        "list": "list",
        "dict": "dict",
        "set": "set",
        "Namespace": "namespace",
    }
    return by_type.get(type_name, construct) == construct


def failure_evidence(failure: Failure) -> dict[str, Any]:
    """A failure as evidence."""
    site = failure.site
    place = site.first_line if site else ""
    refused = {"refused": True} if failure.refused else {}
    return {"exception": failure.type, "message": failure.first_line, "place": place, **refused}
