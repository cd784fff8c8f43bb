"""Command lines (`argparse`): the types of what a parser gives, as `add_argument` declares them.

A parser holds the Dict of the attributes that `parse_args` puts in its namespace. What it does not know, another module
may have added.

A root runs with all command lines at once, then with some of them, one by one: with flags off and on, with each of the
`choices` of an argument, with each command. So what two branches of `if args.monitor:` give is not only seen joined.
"""

from __future__ import annotations

from typing import Final

from jitlint.analysis.language.iteration import exact_elements
from jitlint.analysis.libraries.tables import FUNCTIONS, OBJECT_METHODS
from jitlint.analysis.machine.command_lines import MAX_COMMAND_LINES, CommandLines, as_choices
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.machine.options import COMMAND_LINE, NAMESPACE, turned_on
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
from jitlint.analysis.values.joins import alternatives, join
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_PARSER: Final = "argparse.ArgumentParser"
_PARTS: Final = ("add_argument_group", "add_mutually_exclusive_group", "add_subparsers", "add_parser")
_BOOLEAN: Final = "argparse.BooleanOptionalAction"
_FLAGS: Final = ("store_true", "store_false")
_TEXT: Final = "builtins.str"
_NUMBERS_AND_TEXT: Final = {f"builtins.{kind}": kind for kind in ("int", "float", "str")}


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
        lines.take_over(interp.world.settings.parsers.get(parent.serial, lines))
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
        if args.open_keywords:  # any of them may be anything
            interp.store.set(declared, "entries", {})
        for name, value in args.keywords.items():
            if name in lines.texts:
                lines.texts[name] = lines.texts[name][0], value
            if isinstance(value, Function):  # each command sets what runs it
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
    run = interp.root_run
    for name in lines.texts:
        if name in given:
            run.texts.give(lines, name, given[name])
    known = lines.variants()
    if len(known) < 2:
        return given
    run.command_lines = max(run.command_lines, min(len(known), MAX_COMMAND_LINES))
    run.chosen_by.add(COMMAND_LINE)
    run.traces |= lines.runs_commands()
    if run.command_line is not None:
        chosen = known[run.command_line % len(known)]
        run.typed = lines.in_words(chosen)
        given.update(chosen)
    return given


def _note_choices(interp: Interpreter, lines: CommandLines, name: str, args: Args, span: Span) -> None:
    """Notes what an argument may be, if that is known and it was not declared before (by another command)."""
    if lines.is_known(name):
        return
    if lines.parsers:
        lines.of_command[name] = lines.parsers - 1
    action, kind = args.keywords.get("action"), args.keywords.get("type")
    default, count = args.keywords.get("default", NONE), args.keywords.get("nargs")
    type_name = _TEXT if kind is None else kind.name if isinstance(kind, External) else ""
    if isinstance(action, Const) and action.value in _FLAGS:
        off, on = Const(action.value == "store_false"), Const(action.value == "store_true")
        lines.switches[name] = off, on
    elif isinstance(action, External) and action.name == _BOOLEAN and isinstance(default, Const):
        lines.switches[name] = default, Const(not default.value)
    elif (action is not None and not _appends(action)) or args.open_keywords:
        return
    elif action is not None or (isinstance(count, Const) and count.value != "?"):
        given = next((part for part in alternatives(_value(interp, args, span)) if isinstance(part, List)), None)
        if given is not None and not _is_required(args):
            lines.switches[name] = default, given
    elif "choices" in args.keywords:
        offered = exact_elements(interp, args.keywords["choices"], span, "argparse") or []
        first = [each for each in offered if _is_same(each, default)]
        choices = (*first, *(each for each in offered if each not in first))
        (lines.commands if _is_positional(args) and not lines.parsers else lines.choices)[name] = choices
    elif type_name in _NUMBERS_AND_TEXT and is_none(default) and not _is_required(args):
        typed = Static(_NUMBERS_AND_TEXT[type_name])
        interp.world.settings.given[id(typed)] = typed
        lines.switches[name] = NONE, typed
    elif isinstance(kind, External) and isinstance(default, Const) and (other := turned_on(default)) is not None:
        lines.numbers[name] = default, other
    elif type_name == _TEXT:
        _note_text(interp, lines, name, args, span)


def _note_text(interp: Interpreter, lines: CommandLines, name: str, args: Args, span: Span) -> None:
    """Notes an argument that may be any text, and what code is known to ask whether it is that."""
    default = args.keywords.get("default")
    value = _value(interp, args, span)
    if isinstance(value, Static) and value.kind == "str":
        place = interp.site(span)
        lines.texts[name] = place, value if default is None else default
        if asked := interp.unit.decisions.asked_texts.get(place):
            lines.choices[name] = as_choices(lines.texts[name][1], asked)


def _appends(action: Value | None) -> bool:
    """Whether an argument is a list of what a user types with it, once or several times."""
    return isinstance(action, Const) and action.value == "append"


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
    """What an argument gives, an object of its own: a flag a bool, `type=int` an integer, `nargs="*"` and
    `action="append"` a list.

    So is a list that a function of the project makes of the text: `type=lambda text: text.split(",")`.
    """
    action = args.keywords.get("action")
    if isinstance(action, Const) and action.value in _FLAGS:
        return Static("bool")
    appends = _appends(action)
    if (action is not None and not appends) or args.open_keywords:
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
    if count is not None and (not many or appends):
        return UNKNOWN
    many = many or appends
    given = interp.new_list("list", Sequence("tuple", one), span) if many else one
    if default is not None and is_none(default):
        return join(NONE, given) if many else UNKNOWN
    if default is None and not _is_required(args):
        return join(NONE, given) if many else UNKNOWN
    return given


FUNCTIONS[_PARSER] = _parser
OBJECT_METHODS[_PARSER] = _method
