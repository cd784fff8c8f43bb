"""How far the analyzer agrees with tracing on which variables are traced.

The unit is a variable read at a place of a program that ran. It is traced if tracing ever showed a tracer in it, else
static. The analyzer says traced if it thinks so in any call, static if it is sure in all of them, else nothing:
agreement is counted over those of which it says something, and how many it says nothing of is counted beside it.
"""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutants import predicted
from tests.mutants.bench import BATCH
from tests.mutants.mutate import Base
from tests.mutants.stages import Read, reads

TRACED = frozenset({"tracer", "contains"})


class Answer(NamedTuple):
    """What tracing showed of a variable (`traced`), and what the analyzer says: traced, static or unknown.

    `text` is the line where it is read.
    """

    package: str
    module: str
    text: str
    read: Read
    traced: bool
    said: str

    @property
    def what(self) -> str:
        """`traced as static`: how it is, and what the analyzer says of it."""
        return f"{'traced' if self.traced else 'static'} as {self.said}"


def answers(bases: Iterable[tuple[Base, Path]]) -> Iterator[Answer]:
    """All variables that the bases read, with both opinions; BATCH files of a package are analyzed together."""
    for _, group in itertools.groupby(bases, key=lambda pair: pair[0].recipe.package):
        while batch := list(itertools.islice(group, BATCH)):
            said = predicted.stages([path for _, path in batch])
            for base, path in batch:
                lines = base.text.split("\n")
                for read in reads(base.tree, base.lines, path):
                    words = said.get((read["path"], read["line"], read["column"]), {"unknown"})
                    word = next((word for word in ("traced", "unknown") if word in words), "static")
                    text = lines[read["line"] - 1].strip()
                    yield Answer(base.recipe.package, base.recipe.module, text, read, is_traced(read), word)


def is_traced(read: Read) -> bool:
    """Whether tracing ever showed a tracer in the variable."""
    return not TRACED.isdisjoint(read["stages"])


class Agreement:
    """The counts of one package or of all."""

    def __init__(self, found: Iterable[Answer]) -> None:
        self.counts = Counter(answer.what for answer in found)

    @property
    def observed(self) -> int:
        return self.counts.total()

    @property
    def unknown(self) -> float:
        """The share of which the analyzer says nothing."""
        return self._share(self._all("unknown"), self.observed)

    @property
    def unknown_traced(self) -> float:
        """The same, of what is traced: there bugs are missed."""
        return self._share(self.counts["traced as unknown"], self._traced())

    @property
    def agreement(self) -> float:
        """The share of right answers among those that say something."""
        said = self._all("traced") + self._all("static")
        return self._share(self.counts["traced as traced"] + self.counts["static as static"], said)

    @property
    def tracers_called_static(self) -> float:
        """The share of what is traced that the analyzer is sure is not."""
        return self._share(self.counts["traced as static"], self._traced())

    @property
    def static_called_traced(self) -> float:
        """The share of what is static that the analyzer takes for traced."""
        return self._share(self.counts["static as traced"], self.observed - self._traced())

    def _traced(self) -> int:
        return sum(self.counts[f"traced as {said}"] for said in ("traced", "static", "unknown"))

    def _all(self, said: str) -> int:
        return self.counts[f"traced as {said}"] + self.counts[f"static as {said}"]

    @staticmethod
    def _share(part: int, whole: int) -> float:
        return part / whole if whole else 0.0


def table(found: Sequence[Answer]) -> str:
    """The figures per package and in all; `unknown` is the share of which the analyzer says nothing."""
    by_package: dict[str, list[Answer]] = defaultdict(list)
    for answer in found:
        by_package[answer.package].append(answer)
    columns = ("observed", "agreement", "traced called static", "static called traced", "unknown", "of traced")
    lines = [f"{'package':12}" + "".join(f"{column:>{len(column) + 2}}" for column in columns)]
    for package, group in [*sorted(by_package.items()), ("all", list(found))]:
        one = Agreement(group)
        shares = (
            one.agreement,
            one.tracers_called_static,
            one.static_called_traced,
            one.unknown,
            one.unknown_traced,
        )
        cells = [
            f"{one.observed:10}",
            *(f"{share:{len(c) + 2}.4f}" for c, share in zip(columns[1:], shares, strict=True)),
        ]
        lines.append(f"{package:12}" + "".join(cells))
    return "\n".join(lines)


def explain(found: Iterable[Answer]) -> str:
    """The variables of which the analyzer says something wrong or nothing, by module, most of them first."""
    by_module: dict[str, dict[str, None]] = defaultdict(dict)
    for answer in found:
        if answer.what not in ("traced as traced", "static as static"):
            place = f"{Path(answer.read['path']).name}:{answer.read['line']}"
            by_module[answer.module][f"  {place} {answer.read['name']}: {answer.what} | {answer.text[:90]}"] = None
    parts = sorted(by_module.items(), key=lambda item: -len(item[1]))
    return "\n".join(line for module, lines in parts for line in (f"{module} {len(lines)}", *lines))
