"""JAX's warnings while it traces and compiles, each with the user's place."""

from __future__ import annotations

import contextlib
import re
import sys
import types
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from ..user_code.sites import Site, site_of

_KINDS = {
    "precision-lost": r"Explicitly requested dtype .* is not available",
    "donation-unused": r"Some donated buffers were not usable",
}


@dataclass(frozen=True)
class Notice:
    """A warning of one of the kinds above; `site` is None if no frame lies in the user's files."""

    kind: str
    message: str
    site: Site | None


@contextlib.contextmanager
def noticed(files: Collection[str]) -> Iterator[list[Notice]]:
    """Collects the warnings within the block, also those that were already given before."""
    found: list[Notice] = []
    give = warnings.warn

    def warn(message: Any, *args: Any, **kwargs: Any) -> None:
        text = str(message)
        for kind, pattern in _KINDS.items():
            if re.search(pattern, text):
                notice = Notice(kind, text.splitlines()[0][:300], _user_site(sys._getframe(1), files))
                if notice not in found:
                    found.append(notice)
        kwargs["stacklevel"] = kwargs.get("stacklevel", 1) + 1
        give(message, *args, **kwargs)

    warnings.warn = warn
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield found
    finally:
        warnings.warn = give


def _user_site(frame: types.FrameType | None, files: Collection[str]) -> Site | None:
    while frame is not None:
        if frame.f_code.co_filename in files:
            return site_of(frame.f_code, frame.f_lasti)
        frame = frame.f_back
    return None
