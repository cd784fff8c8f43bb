"""What a sandbox is to be like, as the linter tells the program that enters it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

FORMS = ("auto", "required", "off")
"""With a sandbox where the system has one; not without one; without one."""

NO_SANDBOX = 76
"""The exit code where a sandbox is required and there is none; standard error says why."""

NO_PROGRAM = 77
"""The exit code where the program cannot be started; standard error says why."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A sandbox for one program.

    Attributes:
        form: one of FORMS.
        scratch: the folder that the program has to itself, and in which it begins.
        shown: what must be seen also where the view hides things: the project, the interpreter.
        temporary: the folder of the user's temporary files.
        nodes: patterns of the devices that the program may use, below /dev.
        network: whether it may use the machine's network.
    """

    form: str
    scratch: str
    shown: tuple[str, ...] = ()
    temporary: str = "/tmp"
    nodes: tuple[str, ...] = ()
    network: bool = False

    def text(self) -> str:
        """The wish as text."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, text: str) -> Wish:
        """The wish of a text."""
        fields: dict[str, Any] = json.loads(text)
        return cls(**{**fields, "shown": tuple(fields["shown"]), "nodes": tuple(fields["nodes"])})
