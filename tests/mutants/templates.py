"""What a kind of bug is made of: statements that are wrong, and twins of them that are fine.

Placeholders: <v> a traced number, <n> a traced integer, <a> a traced array of rank 1 or more, <x> a local variable that
holds a tracer (may be assigned), <d> a static size. `module` lines go to the module's top level, `driver` lines between
the two calls of the driver.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Template:
    """Statements; `silent` says how they are wrong if they raise nothing (see judge)."""

    lines: tuple[str, ...]
    module: tuple[str, ...] = ()
    driver: tuple[str, ...] = ()
    silent: str = ""


@dataclass(frozen=True, slots=True)
class Kind:
    """`codes` are the rules that should speak."""

    codes: tuple[str, ...]
    bad: tuple[Template, ...]
    good: tuple[Template, ...]


def each(
    *texts: str, module: tuple[str, ...] = (), driver: tuple[str, ...] = (), silent: str = ""
) -> tuple[Template, ...]:
    return tuple(Template(tuple(text.split("\n")), module, driver, silent) for text in texts)
