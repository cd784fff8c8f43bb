"""Programs that `click` starts: their commands, what these cannot do without, and other values of their options."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any

from .settings import Note


@contextlib.contextmanager
def noted(command: str, offer: Callable[[list[str]], None], note: Note, given: dict[str, Any]) -> Iterator[None]:
    """Within, programs that are started without arguments get those that they cannot do without.

    Args:
        command: the command to give, for a program that has several; "" for its first.
        offer: is told the commands of a program that starts.
        note: is told each option of the commands that run.
        given: values to put in place of those of options, by name.
    """
    click = sys.modules.get("click")
    if click is None:
        yield
        return
    make_context, invoke = click.Command.make_context, click.Command.invoke

    def make(self: Any, name: Any, args: list[str], parent: Any = None, **extra: Any) -> Any:
        if parent is None and not args and not sys.argv[1:]:
            offer(list(getattr(self, "commands", ())))
            args = _needed(self, command)
        return make_context(self, name, args, parent, **extra)

    def call(self: Any, context: Any) -> Any:
        for parameter in self.params:
            if parameter.name in context.params:
                note(parameter.name, context.params[parameter.name], _choices(parameter))
        context.params.update({name: given[name] for name in given.keys() & context.params.keys()})
        return invoke(self, context)

    click.Command.make_context, click.Command.invoke = make, call
    try:
        yield
    finally:
        click.Command.make_context, click.Command.invoke = make_context, invoke


def _needed(command: Any, name: str) -> list[str]:
    """The words that a command cannot do without: required options, arguments, and a command of a group."""
    words = []
    for parameter in command.params:
        if parameter.required and parameter.default is None:
            value = _word(parameter)
            named = parameter.param_type_name == "option"
            words += [parameter.opts[0], value] if named else [value] * max(parameter.nargs, 1)
    commands = getattr(command, "commands", None) or {}
    chosen = name if name in commands else next(iter(commands), "")
    return [*words, chosen, *_needed(commands[chosen], name)] if chosen else words


def _word(parameter: Any) -> str:
    """A word of which the type of a parameter can make a value."""
    texts = [str(choice) for choice in getattr(parameter.type, "choices", ())] or ["jitlint", "2"]
    for text in texts:
        with contextlib.suppress(Exception):  # the user's types may raise anything
            parameter.type.convert(text, parameter, None)
            return text
    return texts[0]


def _choices(parameter: Any) -> tuple[Any, ...]:
    """The values that an option may have, as its declaration tells them."""
    if getattr(parameter, "is_flag", False):
        return (True, False)
    if choices := getattr(parameter.type, "choices", None):
        return tuple((choice,) if parameter.multiple else choice for choice in choices)
    return (0.5,) if parameter.type.name == "float" and parameter.default is None else ()
