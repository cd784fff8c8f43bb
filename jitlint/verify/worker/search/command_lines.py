"""A program's command lines: its commands, what it cannot do without, and other values of its options.

The settings that it reads from a text are options, too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

from . import click_lines, settings_texts
from .settings import Setting, is_option

_TEXTS = ("jitlint", "2", "1,2")
"""What stands for an argument without choices: the first that its type takes. A file that one command writes under the
first of these names is there for the next command.
"""

_Commands = argparse._SubParsersAction


class CommandLines:
    """What the `argparse` parsers of a program take, or the commands of `click`; known once it has run.

    Args:
        command: the command to give, for a program that has several; "" for its first.

    Attributes:
        commands: the program's commands.
    """

    def __init__(self, command: str = "") -> None:
        self._command = command
        self.commands: tuple[str, ...] = ()
        self._known: dict[str, Setting] = {}
        self._given: dict[str, Any] = {}

    def settings(self) -> Iterator[Setting]:
        """What the parsers have as defaults, and the texts hold."""
        yield from self._known.values()

    def noting(self, run: Callable[[], object]) -> Callable[[], object]:
        """What `run` does, while each parser that parses is looked at, and gives the options that were put here.

        A program that is started without arguments gets those that it cannot do without, also where it takes them from
        `sys.argv[1:]` itself.
        """
        original = argparse.ArgumentParser.parse_known_args

        def parse(parser: argparse.ArgumentParser, args: Any = None, namespace: Any = None) -> Any:
            if not args and not sys.argv[1:]:
                self._offer(_commands(parser))
                args = _needed(parser, self._command)
            parsed, rest = original(parser, args, namespace)
            self._note(parser, parsed)
            for name in self._given.keys() & vars(parsed).keys():
                setattr(parsed, name, self._given[name])
            return parsed, rest

        def noted() -> object:
            argparse.ArgumentParser.parse_known_args = parse  # type: ignore[method-assign,assignment]
            try:
                with (
                    click_lines.noted(self._command, self._offer, self._note_value, self._given),
                    settings_texts.noted(self._note_value, self._given),
                ):
                    return run()
            finally:
                argparse.ArgumentParser.parse_known_args = original  # type: ignore[method-assign]

        return noted

    def _offer(self, commands: Iterable[str]) -> None:
        self.commands = self.commands or tuple(commands)

    def _note(self, parser: argparse.ArgumentParser, parsed: argparse.Namespace) -> None:
        for action in parser._actions:
            if not isinstance(action, _Commands):
                self._note_value(action.dest, getattr(parsed, action.dest, parsed), _choices(action))

    def _note_value(self, name: str, value: Any, choices: tuple[Any, ...]) -> None:
        if name not in self._known and is_option(value):
            self._known[name] = Setting(name, value, partial(self._given.__setitem__, name), choices)


def _commands(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:
        if isinstance(action, _Commands):
            yield from action.choices


def _needed(parser: argparse.ArgumentParser, command: str) -> list[str]:
    """The words that a parser cannot do without: commands, required options, arguments by position."""
    one_of = [group._group_actions[0] for group in parser._mutually_exclusive_groups if group.required]
    options, words = [], []
    for action in parser._actions:
        if isinstance(action, _Commands):
            chosen = command if command in action.choices else next(iter(action.choices), "")
            if chosen and (action.required or command):
                words += [chosen, *_needed(action.choices[chosen], command)]
        elif action.option_strings and (action.required or action in one_of):
            options += _option(action.option_strings[-1], _values(parser, action))
        elif not action.option_strings and action.nargs not in (argparse.OPTIONAL, argparse.ZERO_OR_MORE):
            words += _values(parser, action)
    return [*options, *words]


def _option(name: str, values: list[str]) -> list[str]:
    """An option and its values; a single one in the same word, so that the option takes no further ones."""
    return [f"{name}={values[0]}"] if len(values) == 1 else [name, *values]


def _values(parser: argparse.ArgumentParser, action: argparse.Action) -> list[str]:
    """As many words as an argument needs, of which its type can make values."""
    texts = [str(choice) for choice in action.choices or _TEXTS]
    taken = next((text for text in texts if _takes(parser, action, text)), texts[0])
    return [taken] * (action.nargs if isinstance(action.nargs, int) else 1)


def _takes(parser: argparse.ArgumentParser, action: argparse.Action, text: str) -> bool:
    try:
        parser._get_value(action, text)
    except Exception:  # noqa: BLE001  the user's types may raise anything
        return False
    return True


def _choices(action: argparse.Action) -> tuple[Any, ...]:
    """The values that an argument may have, as its parser tells them."""
    if isinstance(action, argparse.BooleanOptionalAction):
        return (True, False)
    if action.nargs == 0:
        return () if action.const is None else (action.const,)
    if action.choices is not None:
        many = action.nargs is not None and action.nargs != argparse.OPTIONAL
        return tuple([choice] if many else choice for choice in action.choices)
    return (0.5,) if action.type is float and action.default is None else ()
