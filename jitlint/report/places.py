"""Places and paths as reports write them."""

from __future__ import annotations

from jitlint.source.places import Place


def shown(place: Place) -> str:
    """A place for people: `a.py:3:5`, `a.ipynb:cell 2:3:5`."""
    cell = f"cell {place.cell}:" if place.cell is not None else ""
    return f"{place.path}:{cell}{place.line}:{place.column}"
