"""Placeholder."""

from __future__ import annotations

from collections.abc import Iterator

from jitlint.fixes.site import Proposal, Site


def propose(site: Site) -> Iterator[Proposal]:
    """Makes the argument that an event is about static."""
    return iter(())
