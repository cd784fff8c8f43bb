"""Conversions to Python numbers go, or become conversions of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.parts.downstream import proposals
from jitlint.fixes.parts.host_calls import without_conversion
from jitlint.fixes.site import Proposal, Site


def propose(site: Site) -> Iterator[Proposal]:
    """Leaves out `float(x)` or `x.item()`, or converts the array."""
    call = site.tree.at(site.event.place, cst.Call)
    conversion = without_conversion(site, call) if call is not None else None
    if call is not None and conversion is not None:
        yield from proposals(site, "Keep the array in place of a Python number", call, conversion)
