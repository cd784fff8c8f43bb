"""Conversions to Python numbers go, or become conversions of arrays."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from jitlint.fixes.parts.downstream import proposals
from jitlint.fixes.parts.host_calls import Conversion, with_jax, without_conversion
from jitlint.fixes.parts.nodes import single_argument
from jitlint.fixes.site import Proposal, Site


def propose(site: Site) -> Iterator[Proposal]:
    """Leaves out `float(x)` or `x.item()`, or converts the array."""
    call = site.tree.at(site.event.place, cst.Call)
    conversion = without_conversion(site, call) if call is not None else None
    if call is not None and conversion is not None:
        conversions = {call: conversion, **_converted(site, call)}
        yield from proposals(site, "Keep the array in place of a Python number", call, conversions)


def _converted(site: Site, call: cst.Call) -> dict[cst.CSTNode, Conversion]:
    """What becomes of a function of NumPy whose result is converted."""
    value = call.func.value if isinstance(call.func, cst.Attribute) else single_argument(call)
    if not isinstance(value, cst.Call):
        return {}
    conversion = with_jax(site, value, site.names.qualified(value.func))
    return {value: conversion} if conversion is not None else {}
