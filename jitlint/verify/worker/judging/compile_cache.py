"""Judges suspicions about the compile cache by counting compilations; JAX explains why the cache missed."""

from __future__ import annotations

import ast
import functools
import re
import types
from typing import Any

import jax

from ..inputs import specs
from ..user_code.probes import expression_at
from ..user_code.sites import Site, site_of
from ..watching.cases import Case, Witness, entry_name, failure_evidence
from ..watching.scopes import value_of
from ..watching.watch import Run, Runner


def compilations(case: Case, witness: Witness, run: Runner, source: str) -> None:
    """Runs the same code twice more: if each run compiles the function again, the cache missed."""
    name = _jitted_name(case, source)
    runs = [witness.run]
    while len(runs) < 3 and not _in_each_round(case, runs[-1], name):
        runs.append(run("again", witness.thunk))
        if (failure := runs[-1].failure) is not None:
            case.unclear("failed", **failure_evidence(failure))
            return
    executed = [one.hit(case.probe).count for one in runs]
    compiled = [_compiled(case, one, name) for one in runs]
    evidence: dict[str, Any] = {"executions": executed[-1], "compilations": compiled[-1]}
    if all(executed) and compiled[-1] and all(compiled[1:]):
        case.confirm(witness.inputs, **evidence, **_why(case, runs[-1]))
    elif not all(executed):
        case.unclear("not-reached-again")
    elif not any(compiled[1:]) and (compiled[0] or _compiles_at_all(case, witness, run, name)):
        case.refute(witness.inputs, **evidence)
    else:
        case.unclear("not-attributed", compiled=runs[-1].compiled[:5])


def _why(case: Case, run: Run) -> dict[str, str]:
    """JAX's last explanation that names the place."""
    site = case.probe.site
    lines = [f"{site.file}:{line}" for line in range(site.line, site.end_line + 1)]
    found = [
        explanation
        for explanation in run.misses
        if any(re.search(rf"{re.escape(line)}\b", explanation) for line in lines)
    ]
    return {"why": " ".join(found[-1].partition("):")[2].split())[:300]} if found else {}


def _in_each_round(case: Case, run: Run, name: str) -> bool:
    """Whether one run, with a loop, compiled in each round, so that no other run is needed."""
    executed = run.hit(case.probe).count
    return executed > 2 and _compiled(case, run, name) >= executed


def _compiles_at_all(case: Case, witness: Witness, run: Runner, name: str) -> bool:
    """Whether a compilation would be seen at all: there must be one with empty caches."""
    jax.clear_caches()
    return bool(_compiled(case, run("from empty caches", witness.thunk), name))


def _compiled(case: Case, run: Run, name: str) -> int:
    """How often a run compiled the place's function: in calls there, or elsewhere under its name."""
    wanted = re.compile(rf"\b{re.escape(name)}\b")
    by_name = sum(1 for compiled in run.compiled if name and wanted.search(compiled))
    if name == "lambda":
        within = [len(calls) for code, calls in run.traced.items() if _starts_in(code, case.probe.site)]
        by_name = min(by_name, sum(within))
    return max(run.hit(case.probe).compiled, by_name)


def _starts_in(code: types.CodeType, site: Site) -> bool:
    """Whether a function's code begins inside a place."""
    first = next((site_of(code, 2 * at) for at, one in enumerate(code.co_positions()) if one[3]), None)
    return first is not None and first.within(site)


def rounds(case: Case, witness: Witness, run: Runner, source: str) -> None:
    """Runs the loop with an empty cache, and compares how often it compiles with how many values or shapes it has."""
    jax.clear_caches()
    again = run("again", witness.thunk)
    name = entry_name(case.probe)
    calls = [call for code, traced in again.traced.items() if code.co_name == name for call in traced]
    seen = list(dict.fromkeys(each for call in calls for each in _differing(case, call)))
    compiled, executed = again.compiled.count(f"jit({name})"), again.hit(case.probe).count
    evidence: dict[str, Any] = {"executions": executed, "compilations": compiled, "seen": seen[:6]}
    if executed < 2:
        case.unclear("not-reached-again", **evidence)
    elif compiled > 1 and len(seen) > 1:
        case.confirm(witness.inputs, **evidence, **_why(case, again))
    elif compiled and again.clean and len(seen) == 1:
        if _is_constant(case, source):
            case.refute(witness.inputs, **evidence)
        else:
            case.unclear("one-value", **evidence)  # an option that was not found may change that
    else:
        case.unclear("not-attributed", compiled=again.compiled[:5])


def _differing(case: Case, call: dict[str, Any]) -> list[str]:
    """What a call gets in the place that differs from round to round: an argument, or the static field of an object."""
    detail = case.probe.detail
    if "attribute" not in detail:
        return [_described(call[detail["parameter"]])] if detail.get("parameter") in call else []
    given = list(call.values())
    owners = jax.tree_util.tree_leaves(given, is_leaf=lambda part: type(part).__name__ == detail["class"])
    values = [getattr(owner, detail["attribute"], None) for owner in owners]
    return [specs.describe_value(value) for value in values if value is not None][:1]


def _described(value: Any) -> str:
    """The short form of an argument, with the shapes in an object of a pytree class."""
    leaves = jax.tree_util.tree_leaves(value)
    if isinstance(value, (list, tuple, dict)) and len(leaves) > _FEW:
        return f"{type(value).__name__} of {len(leaves)} arrays"
    if isinstance(value, (list, tuple, dict)) or (len(leaves) == 1 and leaves[0] is value):
        return specs.describe_value(value)
    return f"{type(value).__name__}({', '.join(map(specs.describe_value, leaves))})"


_FEW = 6
"""So many parts of a container are described one by one."""


def _is_constant(case: Case, source: str) -> bool:
    """Whether what is passed is written as a constant, which nothing can change."""
    node = expression_at(case.probe.site, source)
    return node is not None and not any(isinstance(part, ast.Name) for part in ast.walk(node))


def _jitted_name(case: Case, source: str) -> str:
    """The name under which JAX compiles the function that is jitted at the place."""
    node = expression_at(case.probe.site, source)
    if case.probe.kind != "jit-created":
        return ""
    if decorated := _decorated(case.probe.site.line, source):
        return decorated
    if name := case.probe.detail.get("name"):
        return name
    if not isinstance(node, ast.Call):
        return case.probe.entry_function.rpartition(":")[2].rpartition(".")[2]
    while isinstance(node, ast.Call) and node.args:
        node = node.args[0]
    if isinstance(node, ast.Lambda):
        return "lambda"
    if isinstance(node, ast.Attribute):
        return node.attr
    return _name_of_partial(case, node) or node.id if isinstance(node, ast.Name) else ""


def _name_of_partial(case: Case, node: ast.Name) -> str:
    """The name of the function in a `functools.partial` that a variable holds; "" if it holds none."""
    scopes = case.witness.run.hit(case.probe).scopes if case.witness is not None else []
    value = value_of(node, scopes[0]) if scopes else None
    while isinstance(value, functools.partial):
        value = value.func
        if not isinstance(value, functools.partial):
            return getattr(value, "__name__", "")
    return ""


def _decorated(line: int, source: str) -> str:
    """The name of the function that a decorator on this line is applied to."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for decorator in node.decorator_list:
                if decorator.lineno <= line <= (decorator.end_lineno or line):
                    return node.name
    return ""
