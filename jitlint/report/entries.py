"""The outcomes for entry points, for people: a line for each entry point, and a count for each outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from click import style

from jitlint.events.entry_point import EntryPoint
from jitlint.findings.entry_report import Build, EntryReport
from jitlint.report.places import shown

_COLORS = {"compiled": "green", "failed": "red", "not-built": "yellow", "not-reached": "yellow"}
_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def render(reports: Sequence[EntryReport]) -> str:
    """The report, with the counts at its end; "" if there are no entry points."""
    if not reports:
        return ""
    return "\n".join([*(line for report in reports for line in _lines(report)), "", *_shares(reports)])


def outcomes(reports: Sequence[EntryReport]) -> dict[str, int]:
    """How many entry points have which outcome, by the reason for it; most frequent first."""
    counts = Counter(report.status + (f": {report.code}" if report.code else "") for report in reports)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def _lines(report: EntryReport) -> Iterator[str]:
    entry = report.entry
    status = style(report.status, fg=_COLORS[report.status], bold=True)
    at = style(shown(entry.place), bold=True)
    head = f"{at} {_named(entry)} {status}"
    if not report.source:  # nothing was traced
        yield f"{head}: {report.reason}"
        return
    inputs = f"with {', '.join(report.inputs)}" if report.inputs else "without arguments"
    through = f"as {report.target} " if report.target and report.target != report.entry.name else ""
    details = [through + inputs + (f" ({report.source})" if report.source else "")]
    details += [f"{report.equations} equations"] if report.equations is not None else []
    details += [f"{size(report.constants)} of constants"] if report.constants else []
    details += ["runs as without jit"] if report.compared == "equal" else []
    yield f"{head}: {report.reason + '; ' if report.reason else ''}{'; '.join(filter(None, details))}"
    yield from (f"   {_build(build)}" for build in report.builds)


def _named(entry: EntryPoint) -> str:
    return f"{entry.transform} of {entry.name}" if entry.origin == "transform" else f"{entry.origin} {entry.name}"


def _build(build: Build) -> str:
    if build.status != "compiled":
        return f"{build.device} {build.status}: {build.reason}"
    parts = [f"{stage} {seconds * 1000:.0f} ms" for stage, seconds in build.seconds.items()]
    parts += [f"{size(build.peak_memory)} of memory"] if build.peak_memory is not None else []
    parts += [f"{build.flops:.3g} flops"] if build.flops is not None else []
    return f"{build.device}: {', '.join(parts)}"


def _shares(reports: Sequence[EntryReport]) -> Iterator[str]:
    count = len(reports)
    yield f"{count} entry point{'' if count == 1 else 's'}:"
    for outcome, number in outcomes(reports).items():
        yield f"{number:>6}  {number / count:4.0%}  {outcome}"


def size(number: int | None) -> str:
    """Bytes as people read them: "1.5 MiB"."""
    value = float(number or 0)
    for unit in _UNITS[:-1]:
        if value < 1024:
            return f"{value:.3g} {unit}"
        value /= 1024
    return f"{value:.3g} {_UNITS[-1]}"
