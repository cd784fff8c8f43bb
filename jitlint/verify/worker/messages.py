"""What goes over the wire, as records that both sides know.

The linter fills a `JobRequest` and writes its `message()`; the worker reads it back with `JobRequest.read`. Answers are
plain objects, since the linter trusts none of them (see `protocol.py`); `Line` and `Words` are what they may hold.

Only the standard library is imported: the worker runs this file in the user's interpreter, the linter in its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

# --- down: what the linter asks for -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Extent:
    """A piece of a user's file: lines and columns count from 1, columns in characters, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True)
class EntryRequest:
    """Where a function is given to a transform: `function` is its name as `module:qualname`, if it is known."""

    place: Extent
    transform: str
    function: str


@dataclass(frozen=True)
class RootRequest:
    """Where the analyzer began on its way to the place.

    Attributes:
        module: the module's name.
        qualname: the function that it ran by itself; "" for the module's top level.
        calls: the argument lists of the function's calls at the module's top level, such as `(1.0, n=3)`.
        lines: the lines of the module that the way to the place goes through.
    """

    module: str = ""
    qualname: str = ""
    calls: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class ProbeRequest:
    """One suspicion to look into: an event of this kind at this place.

    Attributes:
        id: the finding's index.
        kind: the kind of event, by its value in `EventKind`.
        construct: what stands there, such as "if".
        place: where the event is suspected.
        symbol: the qualified name of the function around the place.
        entry: the transform that traces the place, if it is known.
        root: where to begin.
        source: where the value that matters comes from, if it is known.
        assumed: what the suspicion rests on, in words.
        detail: what else the analyzer knows, by name.
    """

    id: int
    kind: str
    construct: str
    place: Extent
    symbol: str
    entry: EntryRequest | None
    root: RootRequest
    source: Extent | None = None
    assumed: tuple[str, ...] = ()
    detail: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, item: Mapping[str, Any]) -> ProbeRequest:
        entry, root, source = item["entry"], item["root"], item["source"]
        return cls(
            **{
                **item,
                "place": Extent(**item["place"]),
                "source": Extent(**source) if source is not None else None,
                "assumed": tuple(item["assumed"]),
                "entry": EntryRequest(**{**entry, "place": Extent(**entry["place"])}) if entry is not None else None,
                "root": RootRequest(root["module"], root["qualname"], tuple(root["calls"]), tuple(root["lines"])),
            }
        )


@dataclass(frozen=True)
class CallProgram:
    """A call in the project, as a small program that evaluates its arguments (the linter's `call_sites.py` makes it).

    Attributes:
        name: the last part of the name that is called.
        text: the argument list, for people.
        program: binds `_function` and `_arguments`.
        names: what the program needs of the job's module; None if the call stands in another file.
    """

    name: str
    text: str
    program: str
    names: tuple[str, ...] | None

    @classmethod
    def read(cls, item: Mapping[str, Any]) -> CallProgram:
        names = item["names"]
        return cls(item["name"], item["text"], item["program"], tuple(names) if names is not None else None)


@dataclass(frozen=True)
class DriverRequest:
    """A function or test that the user names because it reaches code; `folder` is where its module or file is."""

    name: str
    folder: str


@dataclass(frozen=True)
class ModuleRequest:
    """One of the project's files, and the name under which it is imported."""

    module: str
    file: str


@dataclass(frozen=True)
class DeviceRequest:
    """A device to compile for: as the linter's `Device`, with what is to be done on it.

    Attributes:
        name: what the user calls it.
        platform: what JAX calls its kind.
        capacity: bytes that it has, None where it is not known or nothing limits it.
        topology: the description that a compiler makes it from; "" for a device of this machine.
        configuration: how a TPU's chips are set up, "" for the compiler's own choice.
        target: what XLA needs to know of a GPU, "" for others.
        mesh: the axes of the mesh that programs are compiled over, by name and length; () for one device.
        run: whether functions are executed on it.
        dump: whether the programs' texts are wanted.
    """

    name: str
    platform: str
    capacity: int | None = None
    topology: str = ""
    configuration: str = ""
    target: str = ""
    mesh: tuple[tuple[str, int], ...] = ()
    run: bool = False
    dump: bool = False

    @classmethod
    def read(cls, item: Mapping[str, Any]) -> DeviceRequest:
        return cls(**{**item, "mesh": tuple((name, length) for name, length in item["mesh"])})


@dataclass(frozen=True)
class SurveyRequest:
    """What a survey of entry points asks for besides.

    Attributes:
        large: from how many elements a constant is large.
        files: the project's files, in which places are looked for.
        originals: if a fix is to be proven, the texts of the edited files before the edits.
    """

    large: int
    files: tuple[str, ...] = ()
    originals: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, item: Mapping[str, Any]) -> SurveyRequest:
        return cls(item["large"], tuple(item["files"]), item["originals"])


@dataclass(frozen=True)
class JobRequest:
    """The probes of one module, and all that a worker needs to look into them.

    Attributes:
        module: the module's name.
        file: its file.
        others: further modules in which the analyzer began.
        paths: folders to import from.
        probes: what to look into. With `survey` they are entry points: their places are to be reached.
        sources: the texts of the user's files that matter, by file.
        calls: calls of the functions in question.
        programs: programs of the project that lead to the probes' places.
        definitions_only: leave out statements that only act, since the module did not come back with them.
        full_import: run all of the module's top level, not only what the probes need.
        survey: None for findings.
        scratch: the folder that the code has to itself.
        sandbox: whether the code may change nothing else.
        probe_seconds: the time for one probe.
        compile_seconds: the time for compiling one probe's function for all devices.
        drivers: what to run besides the module.
        inputs: recorded and declared inputs, as the linter's `known.py` writes them.
        devices: what to compile for, at least one.
    """

    module: str
    file: str
    others: tuple[ModuleRequest, ...]
    paths: tuple[str, ...]
    probes: tuple[ProbeRequest, ...]
    sources: Mapping[str, str]
    calls: tuple[CallProgram, ...]
    programs: tuple[ModuleRequest, ...]
    definitions_only: bool
    full_import: bool
    survey: SurveyRequest | None
    scratch: str
    sandbox: bool
    probe_seconds: float
    compile_seconds: float
    drivers: tuple[DriverRequest, ...]
    inputs: tuple[Mapping[str, Any], ...]
    devices: tuple[DeviceRequest, ...]

    def message(self) -> dict[str, Any]:
        """The job as `wire` writes it."""
        return {"type": "job", **asdict(self)}

    @classmethod
    def read(cls, message: Mapping[str, Any]) -> JobRequest:
        """The job of a message from the linter, which is trusted to be whole."""
        parts = {name: part for name, part in message.items() if name != "type"}
        return cls(
            **{
                **parts,
                "paths": tuple(parts["paths"]),
                "probes": tuple(map(ProbeRequest.read, parts["probes"])),
                "calls": tuple(map(CallProgram.read, parts["calls"])),
                "others": tuple(ModuleRequest(**module) for module in parts["others"]),
                "programs": tuple(ModuleRequest(**program) for program in parts["programs"]),
                "survey": SurveyRequest.read(parts["survey"]) if parts["survey"] is not None else None,
                "drivers": tuple(DriverRequest(**driver) for driver in parts["drivers"]),
                "inputs": tuple(parts["inputs"]),
                "devices": tuple(map(DeviceRequest.read, parts["devices"])),
            }
        )


# --- up: what evidence may hold ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A line of one of the user's files."""

    file: str
    line: int


@dataclass(frozen=True)
class Words:
    """A text that names lines: `Words(("branch on `x > 0` in ", Line("model.py", 12)))`.

    The worker leaves writing the lines to the linter, which knows the notebook's cell that a line comes from.
    """

    parts: tuple[str | Line, ...]


def read_evidence(value: Any) -> Any:
    """Evidence with the lines and words in it, from its JSON form."""
    match value:
        case {"file": str(file), "line": int(line), **rest} if not rest and not isinstance(line, bool):
            return Line(file, line)
        case {"parts": list(items), **rest} if not rest:
            parts = tuple(map(read_evidence, items))
            return Words(tuple(part if isinstance(part, Line) else str(part) for part in parts))
        case dict():
            return {name: read_evidence(part) for name, part in value.items()}
        case list():
            return list(map(read_evidence, value))
    return value
