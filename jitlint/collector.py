"""Python's collector of reference cycles, kept from looking for what is not there.

A syntax tree is all live until it is dropped as a whole, and little of what the interpreter makes is in cycles: looking
for garbage in them is a tenth of the time.
"""

from __future__ import annotations

import atexit
import gc
from collections.abc import Iterator
from contextlib import contextmanager

_THRESHOLDS = (5_000_000, 10, 1_000)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Has cycles collected seldom meanwhile."""
    before = gc.get_threshold()
    gc.set_threshold(*_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def for_one_command() -> None:
    """Has cycles collected seldom in a process that ends with its command, and not at its end."""
    gc.set_threshold(*_THRESHOLDS)
    atexit.register(gc.freeze)
