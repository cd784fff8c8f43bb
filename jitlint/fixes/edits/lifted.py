"""Not written yet."""

from __future__ import annotations
from collections.abc import Iterator
from jitlint.fixes.site import Proposal, Site


def propose(site: Site) -> Iterator[Proposal]:
    """Nothing yet."""
    return iter(())
