"""Command lines (`argparse`): the types of what a parser gives, as `add_argument` declares them.

A parser holds the Dict of the attributes that `parse_args` puts in its namespace. What it does not know, another module
may have added.

A root runs with all command lines at once, then with some of them, one by one: with flags off and on, with each of the
`choices` of an argument, with each command. So what two branches of `if args.monitor:` give is not only seen joined.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection
from typing import Final

from jitlint.analysis.language.iteration import exact_elements
from jitlint.analysis.libraries.tables import FUNCTIONS, OBJECT_METHODS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.machine.options import COMMAND_LINE, NAMESPACE
from jitlint.analysis.machine.parts import CommandLines
from jitlint.analysis.values import (
    NONE,
    STR,
    UNKNOWN,
    Const,
    Dict,
    External,
    ExternalInstance,
    Function,
    List,
    Method,
    Sequence,
    Static,
    Tuple,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_PARSER: Final = "argparse.ArgumentParser"
_PARTS: Final = ("add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser")
_BOOLEAN: Final = "argparse.BooleanOptionalAction"
_FLAGS: Final = ("store_true", "store_false")
_NUMBERS_AND_TEXT: Final = {f"builtins.{kind}": kind for kind in ("int", "float", "str")}

MAX_COMMAND_LINES: Final = 64
"""How many command lines a program runs with, one by one."""


def _parser(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`ArgumentParser(…)`: it has its parents' arguments, and gets others."""
    attributes = interp.new_dict(_of_parents(args), UNKNOWN, span)
    _take_over(interp, attributes, args)
    return ExternalInstance(_PARSER, (), interp.depth, interp.loops, interp.site(span), attributes=attributes)


def _of_parents(args: Args) -> dict[object, Value]:
    """The arguments that a parser takes over from others: `ArgumentParser(parents=[common])`."""
    return {name: value for parent in _parents(args) for name, value in parent.entries.items()}


def _parents(args: Args) -> list[Dict]:
    """The dicts of the arguments of a parser's parents."""
    parents = content_of(args.keywords.get("parents", UNKNOWN))
    given = [part.attributes for part in getattr(parents, "elements", ()) if isinstance(part, ExternalInstance)]
    return [attributes for attributes in given if isinstance(attributes, Dict)]


def _take_over(interp: Interpreter, attributes: Dict, args: Args) -> CommandLines:
    """What the command lines of a parser may be, with what its parents say."""
    lines = interp.world.settings.parsers.setdefault(attributes.serial, CommandLines())
    for parent in _parents(args):
        known = interp.world.settings.parsers.get(parent.serial, lines)
        lines.switches = {**known.switches, **lines.switches}
        lines.choices = {**known.choices, **lines.choices}
        lines.commands = {**known.commands, **lines.commands}
        lines.of_command = {**known.of_command, **lines.of_command}
    return lines


def _method(interp: Interpreter, parser: ExternalInstance, method: Method, args: Args, span: Span) -> Value:
    """A method of a parser. Groups and commands are taken for the parser itself, which gets their arguments."""
    declared = parser.attributes
    if not isinstance(declared, Dict):
        return UNKNOWN
    lines = _take_over(interp, declared, args)
    if method.name in _PARTS:
        interp.store.set(declared, "entries", {**_of_parents(args), **declared.entries})
        if method.name == "add_subparsers":
            lines.command = _destination(args)
        elif method.name == "add_parser" and args.first is not None:
            _add_command(lines, args.first)
        return parser
    if method.name == "add_argument":
        name = _destination(args)
        if name:
            value = _value(interp, args, span)
            if name in declared.entries:  # of another command
                value = join(declared.entries[name], value)
            if value is not UNKNOWN:
                interp.world.settings.given[id(value)] = value
            interp.store.set(declared, "entries", {**declared.entries, name: value})
            _note_choices(interp, lines, name, args, span)
    elif method.name == "set_defaults":
        known = {name: part for name, part in declared.entries.items() if name not in args.keywords}
        interp.store.set(declared, "entries", {} if args.open_keywords else known)
        for name, value in args.keywords.items():  # each command sets what runs it
            if isinstance(value, Function):
                before = lines.commands.get(name, ())
                if len(before) < lines.parsers:  # a parser may be filled again
                    lines.commands[name] = (*before, value)
    elif method.name in ("parse_args", "parse_known_args"):
        attributes = interp.new_dict(_parsed(interp, declared.entries, lines), UNKNOWN, span)
        site = interp.site(span)
        given = ExternalInstance(NAMESPACE, (), interp.depth, interp.loops, site, attributes=attributes)
        return given if method.name == "parse_args" else Tuple((given, UNKNOWN))
    return UNKNOWN


def _add_command(lines: CommandLines, name: Value) -> None:
    """Notes a command, once: a parser may be filled again."""
    known = lines.commands.get(lines.command, ())
    if len(known) < MAX_COMMAND_LINES and not any(_is_same(each, name) for each in known):
        lines.parsers += 1
        lines.commands[lines.command] = (*known, name)


def _parsed(interp: Interpreter, entries: dict[object, Value], lines: CommandLines) -> dict[object, Value]:
    """The attributes that a command line gives: of any, or of the one that the run has.

    What users add to the defaults is one thing mostly, or all that they can.
    """
    given: dict[object, Value] = dict(entries)
    known = _variants(lines)
    if len(known) < 2:
        return given
    run = interp.root_run
    run.command_lines = max(run.command_lines, min(len(known), MAX_COMMAND_LINES))
    run.chosen_by.add(COMMAND_LINE)
    if run.command_line is not None:
        chosen = known[run.command_line % len(known)]
        run.typed = _typed(lines, chosen)
        given.update(chosen)
    return given


def _typed(lines: CommandLines, given: dict[str, Value]) -> str:
    """What a command line gives beside the defaults, in words."""
    others = {name: given[name] for name in lines.commands if isinstance(given.get(name), Const)}
    others.update({name: on for name, (_, on) in lines.switches.items() if given[name] is on})
    others.update({name: given[name] for name, some in lines.choices.items() if some and given[name] is not some[0]})
    shown = {name: repr(value.value) if isinstance(value, Const) else "…" for name, value in others.items()}
    return ", ".join(f"{name}={text}" for name, text in shown.items())


def _variants(lines: CommandLines) -> list[dict[str, Value]]:
    """What some command lines give: with each command, all its switches, each of them, and each of the choices.

    The first of each command come first, since not all may run.
    """
    most = min(max(map(len, lines.choices.values()), default=1), MAX_COMMAND_LINES)
    of_commands = []
    for command in range(max(map(len, lines.commands.values()), default=1)):
        own = [name for name in lines.switches if lines.of_command.get(name, command) == command]
        alone = [([name], 0) for name in own if len(own) > 1]
        chosen: list[tuple[list[str], int]] = [([], choice) for choice in range(most)]
        pairs = itertools.zip_longest(alone, reversed(chosen))
        variants = [(own, 0)] if own else []
        variants += [each for pair in pairs for each in pair if each is not None]
        of_commands.append([_given(lines, command, on, choice) for on, choice in variants])
    return [each for together in itertools.zip_longest(*of_commands) for each in together if each is not None]


def _given(lines: CommandLines, command: int, on: Collection[str], choice: int) -> dict[str, Value]:
    """What a command line gives.

    Args:
        lines: what command lines may be.
        command: which command it has.
        on: the switches that it has.
        choice: which of its choices each argument is; 0 for the default.
    """
    given: dict[str, Value] = {name: pair[name in on] for name, pair in lines.switches.items()}
    given.update({name: some[choice % len(some)] for name, some in lines.choices.items() if some})
    given.update({name: some[command % len(some)] for name, some in lines.commands.items() if some and name})
    return given


def _note_choices(interp: Interpreter, lines: CommandLines, name: str, args: Args, span: Span) -> None:
    """Notes what an argument may be, if that is known and it was not declared before (by another command)."""
    if name in lines.switches or name in lines.choices or name in lines.commands:
        return
    if lines.parsers:
        lines.of_command[name] = lines.parsers - 1
    action, kind = args.keywords.get("action"), args.keywords.get("type")
    default, count = args.keywords.get("default", NONE), args.keywords.get("nargs")
    if isinstance(action, Const) and action.value in _FLAGS:
        off, on = Const(action.value == "store_false"), Const(action.value == "store_true")
        lines.switches[name] = off, on
    elif isinstance(action, External) and action.name == _BOOLEAN and isinstance(default, Const):
        lines.switches[name] = default, Const(not default.value)
    elif action is not None or args.open_keywords:
        return
    elif isinstance(count, Const) and count.value != "?":
        if isinstance(given := content_of(_value(interp, args, span)), Sequence) and not _is_required(args):
            lines.switches[name] = default, interp.new_list("list", given, span)
    elif "choices" in args.keywords:
        offered = exact_elements(interp, args.keywords["choices"], span, "argparse") or []
        first = [each for each in offered if _is_same(each, default)]
        choices = (*first, *(each for each in offered if each not in first))
        (lines.commands if _is_positional(args) and not lines.parsers else lines.choices)[name] = choices
    elif isinstance(kind, External) and kind.name in _NUMBERS_AND_TEXT and is_none(default) and not _is_required(args):
        typed = Static(_NUMBERS_AND_TEXT[kind.name])
        interp.world.settings.given[id(typed)] = typed
        lines.switches[name] = NONE, typed


def _is_required(args: Args) -> bool:
    """Whether an argument has no default since each command line gives it."""
    return "required" in args.keywords or _is_positional(args)


def _is_positional(args: Args) -> bool:
    """Whether an argument is told by its place, not by its name."""
    return isinstance(args.first, Const) and not str(args.first.value).startswith("-")


def _is_same(a: Value, b: Value) -> bool:
    """Whether two values are the same constant."""
    return isinstance(a, Const) and isinstance(b, Const) and a.value == b.value


def _destination(args: Args) -> str:
    """The attribute that an argument is stored as; "" if it is not known."""
    names = [args.keywords["dest"]] if "dest" in args.keywords else args.positional
    texts = [name.value for name in names if isinstance(name, Const) and isinstance(name.value, str)]
    if len(texts) != len(names) or not texts:
        return ""
    chosen = next((text for text in texts if text.startswith("--")), texts[0])
    return chosen.lstrip("-").replace("-", "_")


def _value(interp: Interpreter, args: Args, span: Span) -> Value:
    """What an argument gives, an object of its own: a flag a bool, `type=int` an integer, `nargs="*"` a list.

    So is a list that a function of the project makes of the text: `type=lambda text: text.split(",")`.
    """
    action = args.keywords.get("action")
    if isinstance(action, Const) and action.value in _FLAGS:
        return Static("bool")
    if action is not None or args.open_keywords:
        return UNKNOWN
    kind = args.keywords.get("type")
    count, default = args.keywords.get("nargs"), args.keywords.get("default")
    one: Value = UNKNOWN
    if isinstance(kind, External):
        one = Static(_NUMBERS_AND_TEXT[kind.name]) if kind.name in _NUMBERS_AND_TEXT else UNKNOWN
    elif isinstance(kind, Function):
        made = call(interp, kind, Args([STR]), span)
        one = made if isinstance(made, List) else UNKNOWN
    elif kind is None and (default is None or (isinstance(default, Const) and isinstance(default.value, str))):
        one = Static("str")
    many = isinstance(count, Const) and (count.value in ("*", "+") or isinstance(count.value, int))
    if count is not None and not many:
        return UNKNOWN
    given = interp.new_list("list", Sequence("tuple", one), span) if many else one
    if default is not None and is_none(default):
        return join(NONE, given) if many else UNKNOWN
    if default is None and not _is_required(args):
        return join(NONE, given) if many else UNKNOWN
    return given


FUNCTIONS[_PARSER] = _parser
OBJECT_METHODS[_PARSER] = _method
