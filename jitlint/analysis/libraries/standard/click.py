"""Command lines made of functions and dataclasses: `click`, `typer`, `tyro`, `fire` and their like.

`@click.option("--grow", is_flag=True)` gives a parameter of the command a default, which is an option as any default is
(machine/options.py). `tyro.cli(Args)` and `fire.Fire(main)` call what they are given.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from jitlint.analysis.language.instances import guessed_arguments
from jitlint.analysis.language.iteration import exact_elements
from jitlint.analysis.language.signatures import signature_of
from jitlint.analysis.libraries.tables import FUNCTIONS
from jitlint.analysis.machine.interpreter import Interpreter, call
from jitlint.analysis.machine.options import as_default, note_number
from jitlint.analysis.values import (
    FALSE,
    NEVER,
    NONE,
    STR,
    UNKNOWN,
    Class,
    Const,
    Dict,
    External,
    ExternalInstance,
    Function,
    Option,
    Partial,
    Sequence,
    Static,
    Value,
    is_none,
)
from jitlint.analysis.values.args import Args
from jitlint.analysis.values.joins import join
from jitlint.models.function import FunctionModel
from jitlint.source.places import Span

_DECLARED: Final = "click.option()"
"""The decorator that `click.option(…)` makes; it gets what that got, and the function."""

_CHOICE: Final = "click.Choice"
_FILES: Final = ("click.Path", "click.File")
_CONTEXT: Final = "click.Context"
_NUMBERS: Final = ("builtins.int", "builtins.float")
_NUMBERS_AND_TEXT: Final = {f"builtins.{kind}": kind for kind in ("int", "float", "str")}


def _option(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`click.option(…)` or `click.argument(…)`: a decorator."""
    return Partial(External(_DECLARED), tuple(args.positional), args.keywords, interp.loops, interp.site(span))


def _declare(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """Gives the parameter of a function the default that the option declares. The function stays the same object."""
    *texts, function = args.positional or [UNKNOWN]
    if not isinstance(function, Function):
        return function
    names = {parameter.name for parameter in function.code.parameters}
    written = [text.value for text in texts if isinstance(text, Const) and isinstance(text.value, str)]
    name = next((each for text in written if (each := _parameter_name(text)) in names), "")
    default = _default(interp, args.keywords, written, span)
    if name and default is not None:
        default = as_default(default, name, f"{function.module.name}.{function.code.qualname}", declared=True)
        function.defaults = {**function.defaults, name: default}
        note_number(interp, default, args.keywords.get("type"))
        _note_offered(interp, default, args.keywords.get("type", UNKNOWN), span)
    if not name and any(parameter.kind == "**" for parameter in function.code.parameters):
        _note_further(interp, function, args, written, default, span)
    kind = args.keywords.get("type")
    if name and default is None and isinstance(kind, ExternalInstance) and kind.of in _FILES:
        interp.world.settings.files.setdefault(id(function.code), []).append(name)
    interp.world.settings.commands[id(function.code)] = function
    return function


def _note_further(
    interp: Interpreter, function: Function, args: Args, written: list[str], default: Value | None, span: Span
) -> None:
    """Notes what a function gets for an option that is none of its parameters, but goes into its `**options`."""
    names = [text.lstrip("-").replace("-", "_").lower() for text in (each.partition("/")[0] for each in written)]
    long = [name for name, text in zip(names, written, strict=True) if not text.startswith("-") or len(name) > 1]
    if not long:
        return
    owner = f"{function.module.name}.{function.code.qualname}"
    given = UNKNOWN if default is None else as_default(default, long[-1], owner, declared=True)
    note_number(interp, given, args.keywords.get("type"))
    _note_offered(interp, given, args.keywords.get("type", UNKNOWN), span)
    interp.world.settings.further.setdefault(function, {})[long[-1]] = given


def _pass_context(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`@click.pass_context`: the function gets the context first."""
    if isinstance(args.first, Function):
        interp.world.settings.getting_context.append(args.first)
    return args.first


def _pass_object(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`@click.pass_obj`: the function gets the object first that the command before it has left in the context."""
    if isinstance(args.first, Function):
        interp.world.settings.commands[id(args.first.code)] = args.first
        interp.world.settings.getting_object.add(id(args.first.code))
    return args.first


def arguments_of_command(interp: Interpreter, command: Function, span: Span) -> Iterator[Args]:
    """The arguments with which a command runs, one time after the other.

    What is no parameter of it, but of a function that it wraps, comes as a keyword. What gets the context gets a new
    one. What gets the object that other commands leave there gets it as it is where users name no files, such as one
    with settings; then as it is where they do.
    """
    settings, code = interp.world.settings, command.code
    further = settings.further.get(command, {})
    if any(function.code is code for function in settings.getting_context):
        yield Args([_context(interp, span)[0]], {**further})
    elif id(code) not in settings.getting_object:
        yield Args([], {**further})
    else:
        yield Args([_object_left(interp, span, named_files=False)], {**further})
        if any(id(function.code) in settings.files for function in settings.getting_context):
            yield Args([_object_left(interp, span, named_files=True)], {**further})


def _object_left(interp: Interpreter, span: Span, *, named_files: bool) -> Value:
    """The object that commands leave in their context; Unknown if there is none.

    Args:
        interp: runs these commands.
        span: where they are called.
        named_files: whether users name files.
    """
    found: Value = NEVER
    for function in interp.world.settings.getting_context:
        context, attributes = _context(interp, span)
        files = () if named_files else interp.world.settings.files.get(id(function.code), ())
        call(interp, function, Args([context], dict.fromkeys(files, NONE)), span)
        found = join(found, attributes.entries.get("obj", NEVER))
    return UNKNOWN if found is NEVER else found


def _context(interp: Interpreter, span: Span) -> tuple[ExternalInstance, Dict]:
    """A new context, and what commands leave in it."""
    attributes = interp.new_dict({}, UNKNOWN, span)
    made = ExternalInstance(_CONTEXT, (), interp.depth, interp.loops, interp.site(span), attributes=attributes)
    return made, attributes


def _parameter_name(text: str) -> str:
    """The parameter that a text of an option names: "grow" of "--grow/--no-grow", "lr" of "--lr" and "lr"."""
    return text.partition("/")[0].strip().lstrip("-").replace("-", "_").lower()


def _default(interp: Interpreter, keywords: dict[str, Value], written: list[str], span: Span) -> Value | None:
    """What a parameter gets where a user types nothing; None if that is not known, since a user must type it."""
    default, callback = keywords.get("default"), keywords.get("callback")
    if isinstance(callback, Function):  # what it makes of nothing, or of what a user types
        given = NONE if default is None else default
        results = [call(interp, callback, Args([UNKNOWN, UNKNOWN, value]), span) for value in (given, STR)]
        return join(*results)
    flag = keywords.get("is_flag")
    if (isinstance(flag, Const) and flag.value) or any("/" in text for text in written):
        return FALSE if default is None else default
    kind = keywords.get("type", UNKNOWN)
    if isinstance(kind, External) and kind.name in _NUMBERS and _is_repeated(keywords):
        return Sequence("tuple", Static(_NUMBERS_AND_TEXT[kind.name]))
    if default is not None and not is_none(default):
        return default
    if not isinstance(kind, External) or kind.name not in _NUMBERS_AND_TEXT:
        return None if default is None else default
    if kind.name in _NUMBERS and all(text.startswith("-") for text in written) and "required" not in keywords:
        return NONE
    typed = Static(_NUMBERS_AND_TEXT[kind.name])
    interp.world.settings.given[id(typed)] = typed
    return join(NONE, typed)


def _is_repeated(keywords: dict[str, Value]) -> bool:
    """Whether users may type an option as often as they want: `multiple=True`, or an argument with `nargs=-1`."""
    multiple, count = keywords.get("multiple"), keywords.get("nargs")
    often = isinstance(multiple, Const) and bool(multiple.value)
    return often or (isinstance(count, Const) and count.value == -1)


def _note_offered(interp: Interpreter, default: Value, kind: Value, span: Span) -> None:
    """Notes what `type=click.Choice(["a", "b"])` offers in place of a default."""
    option: Option | None = default.option if isinstance(default, Const) else None
    if option is None or not isinstance(kind, ExternalInstance) or kind.of != _CHOICE or not kind.arguments:
        return
    offered = exact_elements(interp, kind.arguments[0], span, "click") or []
    interp.world.settings.offered[option] = [each for each in offered if isinstance(each, Const)]


def _kind(of: str) -> Any:
    """What makes a type of options: `click.Choice(…)`, `click.Path(…)`."""

    def make(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
        return ExternalInstance(of, tuple(args.positional), interp.depth, interp.loops, interp.site(span))

    return make


def _declared_default(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`typer.Option("fast", help="…")` as a parameter's default: the first argument, or Unknown if a user must type."""
    default = args.keywords.get("default", args.first)
    return UNKNOWN if default is None or (isinstance(default, Const) and default.value is ...) else default


def _run(interp: Interpreter, model: FunctionModel, args: Args, span: Span) -> Value:
    """`tyro.cli(Args)`, `fire.Fire(main)`: calls a function or makes an object, with what a user types."""
    given: Any = args.keywords.get("config_class", args.first)
    if isinstance(default := args.keywords.get("default"), Value) and not is_none(default):
        return default
    target = signature_of(interp, given) if isinstance(given, Function) else None
    if target is not None:
        return call(interp, given, guessed_arguments(interp, target), span)
    return call(interp, given, Args([]), span) if isinstance(given, Class) else UNKNOWN


for _library in ("click", "rich_click"):
    FUNCTIONS[f"{_library}.option"] = FUNCTIONS[f"{_library}.argument"] = _option
    for _name in (_CHOICE, *_FILES):
        FUNCTIONS[f"{_library}.{_name.rpartition('.')[2]}"] = _kind(_name)
    FUNCTIONS[f"{_library}.pass_context"] = _pass_context
    FUNCTIONS[f"{_library}.pass_obj"] = _pass_object
for _name in ("typer.Option", "typer.Argument"):
    FUNCTIONS[_name] = _declared_default
for _name in ("tyro.cli", "fire.Fire", "typer.run", "jsonargparse.CLI", "simple_parsing.parse", "draccus.parse"):
    FUNCTIONS[_name] = _run
FUNCTIONS["pyrallis.parse"] = FUNCTIONS["chz.entrypoint"] = _run
FUNCTIONS[_DECLARED] = _declare
