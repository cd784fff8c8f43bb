"""Plans the work: one probe per finding, grouped into jobs by module."""

from __future__ import annotations

import itertools
import math
import os
import re
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jitlint.events.entry_point import EntryPoint, Origin
from jitlint.events.event import Entry, Event, EventKind, Root
from jitlint.findings.finding import Finding
from jitlint.project.files import project_of
from jitlint.source.places import Place
from jitlint.source.text import SourceFile
from jitlint.verify.call_sites import CallSites
from jitlint.verify.options import VerifyOptions
from jitlint.verify.programs import Programs
from jitlint.verify.recorder.forms import module_name
from jitlint.verify.worker.messages import (
    CallProgram,
    DriverRequest,
    EntryRequest,
    Extent,
    JobRequest,
    ModuleRequest,
    ProbeRequest,
    RootRequest,
    SurveyRequest,
)

FINDINGS_PER_JOB = 32
"""About so many findings form one job and share one import; with more, several workers can share the work."""

_PROGRAMS = 2
"""So many programs are run for a job."""

ENTRIES_PER_JOB = 8
"""So many entry points form one job; few, since each compiles for every device."""


@dataclass(frozen=True, slots=True)
class Job:
    """The probes of one module, or of several to which one program leads.

    Attributes:
        module: the module's name.
        file: its file.
        others: further modules in which the analyzer began.
        paths: folders to import from.
        probes: the probes; their ids are indices of findings or, with `survey`, of entry points.
        sources: the texts that the probes touch, by real path.
        calls: calls of the functions in question.
        programs: programs that lead to the probes' places.
        definitions_only: whether to leave out statements of the module that only act.
        survey: what a survey of entry points asks for; None for findings.
    """

    module: str
    file: str
    paths: tuple[str, ...]
    probes: tuple[ProbeRequest, ...]
    sources: Mapping[str, str]
    others: tuple[ModuleRequest, ...] = ()
    calls: tuple[CallProgram, ...] = ()
    programs: tuple[ModuleRequest, ...] = ()
    definitions_only: bool = False
    survey: SurveyRequest | None = None

    def only(self, wanted: set[int], *, definitions_only: bool | None = None) -> Job:
        """The same job with some of its probes, or without the statements that only act."""
        chosen = tuple(probe for probe in self.probes if probe.id in wanted)
        mode = self.definitions_only if definitions_only is None else definitions_only
        return replace(self, probes=chosen, definitions_only=mode)

    def request(self, options: VerifyOptions, scratch: str = "") -> JobRequest:
        """The job as a worker is asked to do it.

        Args:
            options: the limits, the devices, and the inputs that are known.
            scratch: the folder that the code has to itself.
        """
        return JobRequest(
            module=self.module,
            file=self.file,
            others=self.others,
            paths=self.paths,
            probes=self.probes,
            sources=self.sources,
            calls=self.calls,
            programs=self.programs,
            definitions_only=self.definitions_only,
            full_import=options.full_import,
            survey=self.survey,
            scratch=scratch,
            sandbox=options.sandbox != "off",
            probe_seconds=options.probe_timeout,
            compile_seconds=options.compile_timeout * len(options.devices),
            drivers=tuple(DriverRequest(driver.name, driver.folder) for driver in options.drivers),
            inputs=tuple(known for known in options.inputs if known["file"] in self.sources),
            devices=tuple(device.request(run=options.run, dump=options.dump is not None) for device in options.devices),
        )


def jobs(findings: Sequence[Finding], sources: Sequence[SourceFile]) -> tuple[Job, ...]:
    """Groups findings into jobs.

    Args:
        findings: what the analyzer found.
        sources: the files it was found in.

    Returns:
        The jobs in the order of their first findings.
    """
    files = {source.display: source for source in sources}
    grouped: dict[str, list[int]] = {}
    for index, finding in enumerate(findings):
        grouped.setdefault(_run(finding.event.root, finding.event.place, files), []).append(index)
    calls, programs = CallSites(sources), Programs(sources)
    planned = (
        _job(path, [(i, findings[i].event) for i in share], files, calls)
        for path, members in grouped.items()
        for share in _shares(members, findings)
    )
    return tuple(_merged(_with_programs(job, programs, files) for job in planned))


def _merged(planned: Iterable[Job]) -> Iterator[Job]:
    """The jobs; those to which the same program leads are one, so that it runs once."""
    alike: dict[Hashable, list[Job]] = {}
    for at, job in enumerate(planned):
        alike.setdefault(job.programs[0] if job.programs else at, []).append(job)
    for first, *others in alike.values():
        for share in _in_shares([first, *others]):
            yield _as_one(share)


def _in_shares(together: Sequence[Job]) -> Iterator[list[Job]]:
    share: list[Job] = []
    for job in together:
        if share and sum(len(one.probes) for one in (*share, job)) > FINDINGS_PER_JOB:
            yield share
            share = []
        share.append(job)
    yield share


def _as_one(share: Sequence[Job]) -> Job:
    first, *others = share
    return replace(
        first,
        others=tuple(dict.fromkeys(ModuleRequest(job.module, job.file) for job in others if job.file != first.file)),
        paths=tuple(dict.fromkeys(path for job in share for path in job.paths)),
        probes=tuple(probe for job in share for probe in job.probes),
        sources={file: text for job in share for file, text in job.sources.items()},
        calls=tuple(dict.fromkeys(call for job in share for call in job.calls)),
        programs=tuple(dict.fromkeys(program for job in share for program in job.programs))[:_PROGRAMS],
    )


def _with_programs(job: Job, programs: Programs, files: Mapping[str, SourceFile]) -> Job:
    """The job with the programs that lead to most of its places, and the files that these run."""
    places = Counter(probe.place.file for probe in job.probes)
    leading: Counter[str] = Counter()
    for file, count in places.items():
        for nearness, program in enumerate(reversed(programs.leading_to(file)), 1):
            leading[program] += count * nearness
    chosen = [program for program, _ in leading.most_common(_PROGRAMS)]
    texts = {os.path.abspath(source.path): source.text for source in files.values()}
    run = {file for program in chosen for file in programs.imported(program)}
    requests = tuple(ModuleRequest(module_name(Path(program)), program) for program in chosen)
    folders = (str(_root_of(request.file, request.module)) for request in requests)
    return replace(
        job,
        paths=tuple(dict.fromkeys((*job.paths, *folders))),
        programs=requests,
        sources={**job.sources, **{file: texts[file] for file in sorted(run)}},
    )


def _root_of(file: str, name: str) -> Path:
    """The folder from which a file is imported under a dotted name."""
    base = Path(file).parent if Path(file).name != "__init__.py" else Path(file).parent.parent
    for _ in name.split(".")[:-1]:
        base = base.parent
    return base


def _run(root: Root | None, place: Place, files: Mapping[str, SourceFile]) -> str:
    """The file to run for a place: the root's if it is among the files, else the place's own."""
    return root.path if root is not None and root.path in files else place.path


def _shares(members: Sequence[int], findings: Sequence[Finding]) -> Iterator[list[int]]:
    """Divides a module's findings into shares of about the same size; those of one function stay together.

    The shares do not depend on the number of workers, since a run for one finding is evidence for all of its share.
    """
    size = math.ceil(len(members) / math.ceil(len(members) / FINDINGS_PER_JOB))
    share: list[int] = []
    for _, together in itertools.groupby(members, lambda index: findings[index].event.symbol):
        if len(share) >= size:
            yield share
            share = []
        share += together
    yield share


def entry_jobs(entries: Sequence[EntryPoint], sources: Sequence[SourceFile], survey: SurveyRequest) -> tuple[Job, ...]:
    """Groups entry points into jobs.

    Args:
        entries: what the analyzer found in `sources`.
        sources: the files of the project.
        survey: what the survey asks for.
    """
    files = {source.display: source for source in sources}
    grouped: dict[str, list[int]] = {}
    for index, entry in enumerate(entries):
        grouped.setdefault(_run(entry.root, entry.place, files), []).append(index)
    parts = [
        (path, members[at : at + ENTRIES_PER_JOB])
        for path, members in grouped.items()
        for at in range(0, len(members), ENTRIES_PER_JOB)
    ]
    calls = CallSites(sources)
    offering = {entry.home for entry in entries if entry.origin is Origin.EXPORT and entry.home in files}
    return tuple(
        _entry_job(path, [(i, entries[i]) for i in part], files, calls, survey, offering) for path, part in parts
    )


def _job(
    path: str,
    events: Sequence[tuple[int, Event]],
    files: Mapping[str, SourceFile],
    calls: CallSites,
    others: Collection[str] = (),
) -> Job:
    real = {display: os.path.abspath(source.path) for display, source in files.items()}
    file = real[path]
    roots = [event.root.module for _, event in events if event.root and event.root.path == path and event.root.module]
    name = roots[0] if roots else module_name(Path(file))
    used = {path, *others}
    for _, event in events:
        used.update(place.path for place in _places(event))
    return Job(
        module=name,
        file=file,
        paths=tuple(dict.fromkeys((str(_root_of(file, name)), str(Path(file).parent), *_roots(real.values())))),
        probes=tuple(_probe(index, event, real, name, path) for index, event in events),
        sources={real[display]: files[display].text for display in sorted(used) if display in files},
        calls=tuple(calls.of(_called(events), file)),
    )


def _called(events: Sequence[tuple[int, Event]]) -> list[str]:
    """The names of the functions whose calls are looked for, in the order of the events."""
    names = []
    for _, event in events:
        around = event.symbol.partition(".<locals>")[0]
        entry, root = event.entry, event.root
        names += [root.qualname if root else "", entry.function if entry else "", around]
    return list(dict.fromkeys(last for name in names if (last := re.split("[.:]", name)[-1])))


def _entry_job(
    path: str,
    entries: Sequence[tuple[int, EntryPoint]],
    files: Mapping[str, SourceFile],
    calls: CallSites,
    survey: SurveyRequest,
    offering: Collection[str],
) -> Job:
    events = [(index, _as_event(entry)) for index, entry in entries]
    used = {home for _, entry in entries for home in (entry.home, entry.place.path) if home in files}
    if any(entry.origin is Origin.EXPORT for _, entry in entries):
        used |= set(offering)  # the results of a package's functions are often made in another of its modules
    job = _job(path, events, files, calls, used)
    return replace(job, survey=replace(survey, files=tuple(os.path.abspath(source.path) for source in files.values())))


def _as_event(entry: EntryPoint) -> Event:
    """An entry as an event whose place is to be reached."""
    applied = Entry(entry.place, entry.transform, entry.function)
    return Event(
        EventKind.FAILS_TO_TRACE,
        entry.place,
        "entry",
        symbol=f"{entry.root.module}.{entry.name}",
        entry=applied,
        root=entry.root,
        detail={"name": entry.name, "origin": str(entry.origin)},
    )


def _roots(files: Collection[str]) -> Iterator[str]:
    """The folders from which the project's own modules are imported, whichever of them runs."""
    for folder in sorted({Path(file).parent for file in files}):
        package = folder
        while (package / "__init__.py").is_file() and package.parent != package:
            package = package.parent
        if package != folder:
            yield str(package)
    roots = {project_of(Path(file)) for file in files}
    yield from (str(folder) for root in sorted(roots) for folder in (root / "src", root) if folder.is_dir())


def _places(event: Event) -> list[Place]:
    places = [event.place, *(step.place for step in event.flow)]
    return [*places, event.entry.place] if event.entry else places


def _probe(index: int, event: Event, real: Mapping[str, str], module: str, path: str) -> ProbeRequest:
    entry, root = event.entry, event.root
    applied = None
    if entry is not None and entry.place.path in real:
        applied = EntryRequest(_extent(entry.place, real), entry.transform, entry.function)
    return ProbeRequest(
        id=index,
        kind=str(event.kind),
        construct=event.construct,
        place=_extent(event.place, real),
        symbol=event.symbol,
        entry=applied,
        root=RootRequest(
            module=root.module if root and root.path == path else module,
            qualname=root.qualname if root else "",
            calls=tuple(root.calls) if root else (),
            lines=tuple(sorted({place.line for place in _places(event) if place.path == path})),
        ),
        source=_extent(event.flow[0].place, real) if event.flow and event.flow[0].place.path in real else None,
        assumed=tuple(assumption.text for assumption in event.assumptions),
        detail=dict(event.detail),
    )


def _extent(place: Place, real: Mapping[str, str]) -> Extent:
    return Extent(real[place.path], place.line, place.column, place.end_line, place.end_column)
