"""The figures in words: a Markdown section for the readme, and the bars of the plot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from statistics import median
from typing import Any

from tests.benchmarks.tools import COLD, PARALLEL, SLOW, WARM, YARDSTICK

BEGIN, END = "<!-- benchmarks: written by `python -m tests.benchmarks --update-readme` -->", "<!-- end -->"
PLOT = "docs/benchmarks/peers.svg"
_LINES = 100_000
"""What the table's seconds are for."""


def in_readme(readme: str, section: str) -> str:
    """The readme with the section between its marks.

    Raises:
        ValueError: it has no marks.
    """
    pattern = re.compile(f"(?<={re.escape(BEGIN)}\n).*?(?={re.escape(END)})", re.DOTALL)
    replaced, times = pattern.subn(lambda _: section, readme)
    if times != 1:
        raise ValueError(f"the readme has no section between {BEGIN} and {END}")
    return replaced


def section(results: dict[str, Any]) -> str:
    """All figures: a table of the tools, and sentences on what has no peer."""
    parts = [_over(results), f"![CPU seconds of each tool]({PLOT})", _table(results), _itself(results)]
    return "\n\n".join(parts) + "\n"


def bars(results: dict[str, Any]) -> list[tuple[str, float]]:
    """Each tool and its CPU seconds for 100,000 lines, the quickest first."""
    tools = results["throughput"]["tools"]
    return sorted(((name, _per_lines(tools[name], "cpu")) for name in tools), key=lambda bar: bar[1])


def ratio(over: Sequence[float], under: Sequence[float]) -> float:
    """The median of the rounds' ratios."""
    return median(one / other for one, other in zip(over, under, strict=True))


def _over(results: dict[str, Any]) -> str:
    throughput, rounds = results["throughput"], len(results["throughput"]["tools"][YARDSTICK]["cpu"])
    return (
        f"{len(results['packages'])} packages ({', '.join(results['packages'])}), {throughput['files']} files, "
        f"{throughput['lines']:,} lines; medians of {rounds} rounds that take the tools in turn; Python "
        f"{results['machine']['python']}, {results['machine']['cores']} cores. Each tool has its default rules and one "
        f"process, unless it says `-j2` (Fixit always takes all cores). The slow ones see every {SLOW}th file, and "
        "jaxlint those that it does not break down on."
    )


def _table(results: dict[str, Any]) -> str:
    tools, commands = results["throughput"]["tools"], results["start-up"]["commands"]
    head = (
        f"| | lines | CPU s for {_LINES:,} | times parse | wall s for {_LINES:,} | MiB | `--version` | one file |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    )
    rows = [
        (
            _label(name, tools[name]),
            f"{tools[name]['lines']:,}",
            f"{seconds:.2f}",
            f"{_times(tools, name):.2f}",
            f"{_per_lines(tools[name], 'wall'):.2f}",
            f"{max(tools[name]['mebibytes']):.0f}",
            _above_python(commands, f"{name} --version"),
            _above_python(commands, name),
        )
        for name, seconds in bars(results)
    ]
    start = results["start-up"]
    python = 1000 * median(commands["python"]["cpu"])
    note = (
        f"“Times parse” is against `{YARDSTICK}` alone, per line. The last two columns are milliseconds of CPU above "
        f"the {python:.0f} of a bare interpreter; the file has {start['lines']} lines."
    )
    return "\n".join((*head, *(f"| {' | '.join(row)} |" for row in rows))) + "\n\n" + note


def _itself(results: dict[str, Any]) -> str:
    tools, editing, verifying = results["throughput"]["tools"], results["editing"], results["verifying"]
    edited = editing["runs"]["edited"]
    lines = [
        f"- Warm is {ratio(tools[COLD]['cpu'], tools[WARM]['cpu']):.0f} times as fast as cold, "
        f"`-j2` {ratio(tools[COLD]['wall'], tools[PARALLEL]['wall']):.2f} times as fast as `-j1`.",
        f"- In a project of {editing['lines']:,} lines, a run after an edit of one file takes "
        f"{median(edited['wall']):.2f} s ({median(edited['cpu']):.2f} s of CPU; median of {len(edited['wall'])} files, "
        f"at most {max(edited['wall']):.2f} s), without an edit {median(editing['runs']['unchanged']['wall']):.2f} s, "
        f"from nothing {median(editing['runs']['cold']['wall']):.2f} s.",
    ]
    what = {
        "failing": ("", "functions that fail while JAX traces them"),
        "sound": ("=all", "entry points that compile"),
    }
    probes = verifying["probes"]
    for name, (option, functions) in what.items():
        wall, cpu = (
            {run: median(costs[clock]) for run, costs in verifying["runs"][name].items()} for clock in ("wall", "cpu")
        )
        lines.append(
            f"- `--verify{option}` of {probes} {functions} takes {wall['anew']:.1f} s ({cpu['anew']:.1f} s of CPU; "
            f"{probes / wall['anew']:.1f} per second), {wall['again']:.1f} s ({cpu['again']:.1f}) when it runs again; "
            f"a bare loop that traces, lowers and compiles them {wall['loop']:.1f} s ({cpu['loop']:.1f}; "
            f"{probes / wall['loop']:.1f} per second)."
        )
    return "\n".join(lines)


def _label(name: str, tool: dict[str, Any]) -> str:
    label = f"{name} {tool['release']}".strip()
    return f"**{label}**" if name.startswith("jitlint") else label


def _per_lines(tool: dict[str, Any], seconds: str) -> float:
    return float(median(tool[seconds]) / tool["lines"] * _LINES)


def _times(tools: dict[str, Any], name: str) -> float:
    """How many times the yardstick's CPU seconds per line."""
    yardstick = tools[YARDSTICK]
    return ratio(tools[name]["cpu"], yardstick["cpu"]) * float(yardstick["lines"] / tools[name]["lines"])


def _above_python(commands: dict[str, Any], name: str) -> str:
    if name not in commands:
        return ""
    above = (one - bare for one, bare in zip(commands[name]["cpu"], commands["python"]["cpu"], strict=True))
    return f"{1000 * median(above):.0f}"
