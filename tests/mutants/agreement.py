"""How far the analyzer agrees with tracing on which variables are traced, asked by its own findings.

Before each statement that ran stands `bool(name)` for every variable that the statement reads and that tracing always
showed as a tracer, or always as static: the linter, which runs nothing, should object to the former only.
"""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.mutants.bench import Scratch, lint
from tests.mutants.mutate import Base, with_driver


class Question(NamedTuple):
    """An expression asked about before line `line` of the base, on line `asked` of its copy."""

    asked: int
    line: int
    expression: str
    traced: bool


class Answer(NamedTuple):
    """What the linter made of a question: right if it objects to what is traced and to nothing else."""

    base: Base
    question: Question
    objected: bool

    @property
    def right(self) -> bool:
        return self.question.traced == self.objected


def ask(bases: Sequence[Base], scratch: Scratch) -> Iterator[Answer]:
    """All questions about the bases, answered."""
    asked: dict[Path, tuple[Base, list[Question]]] = {}
    for number, base in enumerate(bases):
        lines, questions = _questions(base)
        try:
            text, _ = with_driver("\n".join(lines), base.recipe)
        except SyntaxError:
            continue
        path, _ = scratch.write(base.recipe, f"asked_{number:04}", text)
        asked[path] = (base, questions)
    found = lint(list(asked), scratch.folder)
    for path, (base, questions) in asked.items():
        objections = {finding["line"] for finding in found[path]}
        for question in questions:
            yield Answer(base, question, question.asked in objections)


def _questions(base: Base) -> tuple[list[str], list[Question]]:
    """The module's lines with the questions among them."""
    before: dict[int, list[tuple[int, str, bool]]] = defaultdict(list)
    source = base.text.rstrip("\n").split("\n")
    for site in base.sites():
        if not source[site.lineno - 1].lstrip().startswith("elif"):
            before[site.lineno] += [(site.col_offset, *asked) for asked in _variables(base, site)]
    lines: list[str] = []
    questions: list[Question] = []
    for number, line in enumerate(source, 1):
        for column, expression, traced in before[number]:
            lines.append(f"{' ' * column}bool({expression})")
            questions.append(Question(len(lines), number, expression, traced))
        lines.append(line)
    return lines, questions


def _variables(base: Base, site: ast.stmt) -> Iterator[tuple[str, bool]]:
    read = {node.id for node in ast.walk(site) if isinstance(node, ast.Name)}
    for name, variable in sorted(base.lines[site.lineno]["variables"].items()):
        if name in read and variable["stages"] in (["tracer"], ["contains"]):
            yield from ((name + leaf["access"], True) for leaf in variable["leaves"][:2])
        elif name in read and variable["stages"] == ["static"]:
            yield name, False


def table(answers: Sequence[Answer]) -> str:
    """Agreement per package and in all: traced variables seen of those there are, static ones called traced."""
    seen: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for answer in answers:
        for package in (answer.base.recipe.package, "all"):
            key = f"{package} {'traced' if answer.question.traced else 'static'}"
            total[key] += 1
            seen[key] += answer.objected
    lines = [f"{'package':12}{'traced':>8}{'seen':>8}{'static':>8}{'wrong':>8}{'agreement':>11}"]
    for package in [*sorted({key.split()[0] for key in total} - {"all"}), "all"]:
        traced, static = f"{package} traced", f"{package} static"
        agree = (seen[traced] + total[static] - seen[static]) / max(total[traced] + total[static], 1)
        lines.append(f"{package:12}{total[traced]:8}{seen[traced]:8}{total[static]:8}{seen[static]:8}{agree:11.3f}")
    return "\n".join(lines)


def explain(answers: Sequence[Answer]) -> str:
    """The wrong answers, by module, most of them first."""
    by_module: dict[str, dict[str, None]] = defaultdict(dict)
    for answer in answers:
        if not answer.right:
            line = answer.base.text.split("\n")[answer.question.line - 1].strip()[:90]
            what = "not seen" if answer.question.traced else "called traced"
            text = f"  {answer.question.line}: {answer.question.expression} {what} | {line}"
            by_module[answer.base.recipe.module][text] = None
    parts = sorted(by_module.items(), key=lambda item: -len(item[1]))
    return "\n".join(line for module, lines in parts for line in (f"{module} {len(lines)}", *lines))
