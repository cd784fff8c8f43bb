"""The output of `jitlint stage`: the variables at a line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import groupby

from click import style

from jitlint.events.revealed import NOT_TRACED, Revealed
from jitlint.report.json import revealed_document

_NOWHERE = (
    "nothing to show: there is no variable yet, or nothing in view comes here (no call leads here, or a condition "
    "before it is never true)"
)


def render(revealed: Sequence[Revealed], place: str) -> str:
    """For people: the variables in each context in which the line runs."""
    at = style(place, bold=True)
    if not revealed:
        return f"{at}: {_NOWHERE}\n"
    ordered = sorted(revealed, key=lambda each: (each.symbol, each.context != NOT_TRACED, each.context))
    lines = []
    for (symbol, context), group in groupby(ordered, key=lambda each: (each.symbol, each.context)):
        variables = sorted(group, key=lambda each: each.expression)
        width = max(len(each.expression) for each in variables)
        lines.append(f"{at}: in {symbol}, {context}")
        lines += [f"  {each.expression:{width}}  {each.text}" for each in variables]
    return "".join(f"{text}\n" for text in lines)


def render_json(revealed: Sequence[Revealed]) -> str:
    """For other tools: the same as under `revealed` in the JSON report of a check."""
    return json.dumps({"revealed": [revealed_document(each) for each in revealed]}, indent=2, ensure_ascii=False) + "\n"
