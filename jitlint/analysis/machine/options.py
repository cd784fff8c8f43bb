"""Options: the choices that the code offers, of which a default shows only one.

`def make_step(cfg, clip="scale")` offers more than "scale", and so do a field `clip: str = "scale"` and a dict of
settings, `DEFAULTS = {"clip": "scale"}`. A root runs with the defaults first. Where one of them decides what runs (a
branch, an entry of a table of functions), the other ways are noted. What no root runs in the end is run once more, with
these options *open*: their values are then unknown (program/open_options.py). A text that takes a function from a table
is such an option, too, whoever gives it.

Where two ways are joined, an array that grows on one of them is not seen to grow. So roots also run with one other
value of an option after the other (program/other_ways.py): a switch turned over, a text that code asks for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from jitlint import ir
from jitlint.analysis.machine.interpreter import Interpreter
from jitlint.analysis.values import (
    FALSE,
    TRUE,
    Class,
    Const,
    Dict,
    External,
    List,
    Option,
    ProjectCallable,
    Static,
    Tuple,
    Value,
)
from jitlint.analysis.values.containers import content_of
from jitlint.analysis.values.joins import join_all
from jitlint.ir.own_nodes import own_nodes
from jitlint.source.places import Span

_OFFERS_MORE: Final = (str, bool, float)
"""The types of defaults that may be another value of their type as well."""

_WHO_COMPUTES: Final = re.compile(r"(^|_)(jax|jnp|np|numpy|jit|jitted|eager|host|backend|xp)(_|$)")

COMMAND_LINE: Final = Option("command line", "", names=False, declared=True)
"""What a user types."""

NAMESPACE: Final = "argparse.Namespace"
"""The class of what a parser gives."""

_SETTINGS: Final = re.compile(
    r"(^|_)(cfg|conf|configs?|configuration|defaults?|settings|options|opts|hparams|hyper_?param(eter)?s|hps|flags|args)"
    r"(_|$)",
    re.IGNORECASE,
)
"""The names of variables that hold settings."""


def as_default(value: Value, name: str, owner: str, *, declared: bool = False) -> Value:
    """The default of the parameter or field `name` of `owner`, marked as an option if it is one that code decides by.

    Numbers that say how large something is are left out, but not the 0 or 1 that turns it off. So is what says whether
    JAX computes at all (`use_jax`, `backend`): who calls the code traced leaves it as it is. Of names in a list
    (`callbacks=["log"]`), each is marked.
    """
    if _WHO_COMPUTES.search(name):
        return value
    content = content_of(value)
    if isinstance(content, Tuple) and content.elements and all(map(_is_text, content.elements)):
        names = Tuple(
            tuple([as_default(element, name, owner, declared=declared) for element in content.elements]), content.cls
        )
        if not isinstance(value, List):
            return names
        value.fields["content"] = names
    if not isinstance(value, Const) or value.option is not None:
        return value
    constant = value.value
    if constant is None or isinstance(constant, _OFFERS_MORE) or (isinstance(constant, int) and constant in (0, 1)):
        return Const(constant, Option(name, owner, isinstance(constant, str), declared))
    return value


def note_empty(interp: Interpreter, value: Value, name: str, owner: str, annotation: ir.Expr | None) -> Value:
    """The default of a parameter or field, noted as an option if it is an empty list: `extras: list[str] = []`.

    Lists of names and of numbers are options, as their annotations say.
    """
    of_texts = _lists(annotation, ("str",))
    if not _is_empty(value) or not (of_texts or _lists(annotation, ("int", "float"))):
        return value
    own = value if isinstance(value, List) else Tuple(())
    interp.world.settings.empty[id(own)] = own, Option(name, owner, names=of_texts, declared=True)
    return own


def note_type(interp: Interpreter, value: Value, annotation: ir.Expr | None) -> Value:
    """The default of a field, noted as an option if it is None and else a text or a number: `a: str | None = None`."""
    if isinstance(value, Const) and value.value is None and value.option is not None and annotation is not None:
        names = {part.name for part in own_nodes(annotation) if isinstance(part, ir.Name)} - {"Optional", "Union"}
        if names and names <= {"str", "Literal"}:
            interp.world.settings.texts.add(value.option)
        elif names == {"float"} or names == {"int"}:
            note_number(interp, value, External(f"builtins.{names.pop()}"))
    return value


def note_number(interp: Interpreter, value: Value, kind: Value | None) -> None:
    """Notes an option that is None by default and else a number, as its type says: `click.option("-d", type=float)`."""
    number = _NUMBERS.get(kind.name) if isinstance(kind, External) else None
    if number is not None and isinstance(value, Const) and value.value is None and value.option is not None:
        interp.world.settings.numbers[value.option] = number


def _is_empty(value: Value) -> bool:
    content = content_of(value)
    return isinstance(content, Tuple) and not content.elements and content.cls is None


def _lists(annotation: ir.Expr | None, types: tuple[str, ...]) -> bool:
    """Whether an annotation says that a list holds values of some types: `tuple[str, ...]`, `Sequence[float]`."""
    return isinstance(annotation, ir.Subscript) and any(
        isinstance(part, ir.Name) and part.name in types for part in own_nodes(annotation.item)
    )


def note_rounds(interp: Interpreter, value: Value, span: Span) -> None:
    """Notes that code goes over an option that is empty by default, so that it has no rounds."""
    _, option = interp.world.settings.empty.get(id(value), (value, None))
    if option is not None:
        interp.root_run.chosen_by.add(option)
        interp.root_run.other_ways.setdefault((interp.site(span), True, interp.staging, _NO_TABLE), option)


def mark_settings(name: str, value: Value, owner: str) -> None:
    """Marks what a dict of settings holds, as its variable's name tells: `DEFAULTS = {"optimizer": "adam"}`.

    Args:
        name: the variable that it is bound to.
        value: what is bound; its fields are written directly, since no other branch knows a dict this young.
        owner: the dotted name of the module.
    """
    if _SETTINGS.search(name):
        _mark_entries(value, f"{owner}.{name}")


def _mark_entries(value: Value, owner: str) -> None:
    if not isinstance(value, Dict):
        return
    for key, entry in value.entries.items():
        if isinstance(entry, Dict):
            _mark_entries(entry, f"{owner}.{key}")
        else:
            value.entries[key] = as_default(entry, str(key), owner)


def _is_text(value: Value) -> bool:
    return isinstance(value, Const) and isinstance(value.value, str)


def option_of(interp: Interpreter, value: Value) -> Option | None:
    """The option whose default a value is, or holds, or whose default decided it; None if there is none."""
    if id(value) in interp.world.settings.empty:
        return interp.world.settings.empty[id(value)][1]
    if id(value) in interp.root_run.left_open:
        return interp.root_run.left_open[id(value)][1]
    content = content_of(value)
    if isinstance(content, Tuple) and content.elements:
        content = content.elements[0]
    return content.option if isinstance(content, Const) else interp.root_run.texts.option_of(value)


def note_way(
    interp: Interpreter,
    value: Value,
    outcome: bool | None,
    span: Span,
    *,
    other: bool = True,
    entries: Mapping[object, Value] | None = None,
) -> None:
    """Notes which way the code goes by a value, and where an option decides that, that there is another way.

    Args:
        value: the value that decides.
        outcome: the way: the truth of a test; None if the code goes all ways.
        span: where it is decided.
        other: whether there is something to run on the other way.
        entries: those of the table that the value is looked up in.
    """
    place, staging, table = interp.site(span), interp.staging, _table(entries)
    start = interp.root_run.start
    guessed = start is not None and start.identity is not None
    ways = interp.unit.decisions.ways_of_guesses if guessed else interp.unit.decisions.ways
    if outcome is None:
        asked = option_of(interp, value)
        if asked is not None and entries is not None and len(entries) <= MAX_ASKED:
            note_asked(interp, asked, map(Const, entries))
        ways.update(((place, True, staging, table), (place, False, staging, table)))
        return
    ways.add((place, outcome, staging, table))
    option = option_of(interp, value) if other and isinstance(value, (Const, Tuple, List)) else None
    if option is not None and (isinstance(value, Const) or _is_empty(value)):
        note_choice(interp, option, span, outcome=outcome, entries=entries)


def note_choice(
    interp: Interpreter,
    option: Option,
    span: Span,
    *,
    outcome: bool = True,
    entries: Mapping[object, Value] | None = None,
) -> None:
    """Notes that an option decides at a place, and that there is another way than the `outcome` that it has."""
    interp.root_run.chosen_by.add(option)
    if entries is not None and len(entries) <= MAX_ASKED:
        note_asked(interp, option, map(Const, entries))
    way = interp.site(span), not outcome, interp.staging, _table(entries)
    interp.root_run.other_ways.setdefault(way, option)


def left_open(interp: Interpreter, option: Option | None, value: Value) -> Value:
    """What a function that nobody calls gets for a parameter: any value, or what this run gives.

    Each of a switch's values, and of the texts that code asks for, is given in runs of their own.

    Args:
        option: the parameter; None if its default is none that code decides by.
        value: stands for any value, and for no other parameter.
    """
    given: Const | None = interp.root_run.given.get(option) if option is not None else None
    if option is not None and given is None:
        interp.root_run.left_open[id(value)] = value, option
    return value if given is None else given


def note_field(interp: Interpreter, value: Value, default: Value) -> Value:
    """What a field holds of an object that nobody in view makes: any value; runs of their own give it some.

    Args:
        interp: where the object is made up.
        value: stands for any value, and for no other field.
        default: the field's default, marked by `as_default`.
    """
    if not isinstance(default, Const) or default.option is None:
        return value
    if default.value is not None or default.option in interp.world.settings.numbers:
        interp.unit.decisions.open_fields[id(value)] = value, default
    return value


def field_given(interp: Interpreter, value: Value) -> Const | None:
    """What the run gives a field of an object that nobody in view makes; None if it is no such field, or left open."""
    known = interp.unit.decisions.open_fields.get(id(value))
    if known is None or known[1].option is None:
        return None
    run, default, option = interp.root_run, known[1], known[1].option
    run.defaults.setdefault(option, default)
    run.chosen_by.add(option)
    given: Const | None = run.given.get(option)
    if given is None:
        run.left_open[id(value)] = value, option
    return given


def note_asked(interp: Interpreter, option: Option, values: Iterable[Value]) -> None:
    """Notes constants that code compares an option with, or looks it up among."""
    asked = interp.root_run.asked_for.setdefault(option, {})
    for value in values:
        fits = isinstance(value, Const) and (isinstance(value.value, str) if option.names else value.value is None)
        if isinstance(value, Const) and fits and len(asked) < MAX_ASKED:
            asked.setdefault(value.value, Const(value.value))
    run = interp.root_run
    run.command_lines = max(run.command_lines, run.texts.ask(option, asked, interp.unit.decisions.asked_texts))


def note_dtype(interp: Interpreter, text: Value | None, span: Span) -> None:
    """Notes that a text means a dtype: where it is an option, users compute in another one, too."""
    option = option_of(interp, text) if text is not None else None
    if option is None or not option.names:
        return
    note_asked(interp, option, _DTYPES)
    if isinstance(text, Const) and text.value in _NAMES_OF_DTYPES:
        note_choice(interp, option, span)


def other_values(interp: Interpreter) -> list[tuple[Option, Const]]:
    """The options that decided in this run, each with another value that it may have, as far as code tells.

    What a call in view leaves at its default, or writes as a text, is none of them: that call is always made so.
    """
    run, found = interp.root_run, []
    for _, option in run.left_open.values():
        texts, default = run.asked_for.get(option, {}).values(), run.defaults.get(option)
        values = [*texts] if option.names else [FALSE, TRUE]
        if default is not None and isinstance(default.value, str):
            values = [default, *(text for text in texts if text.value != default.value)]
        elif default is not None and not isinstance(default.value, bool):
            values = [default, _number_instead(interp, option, default) or Const(_SMALL)]
        found += [(option, each) for each in values]
    traced = [option for (_, _, staging, _), option in run.other_ways.items() if staging]
    for option in dict.fromkeys((*traced, *run.other_ways.values())):  # not all may run: code fails where it is traced
        if option in interp.world.settings.written:
            continue
        default = run.defaults.get(option)
        if default is not None and isinstance(default.value, bool):
            found.append((option, Const(not default.value)))
        elif default is not None and (on := _number_instead(interp, option, default)) is not None:
            found.append((option, on))
        else:
            asked = [*interp.world.settings.offered.get(option, ()), *run.asked_for.get(option, {}).values()]
            others = {value.value: value for value in asked if default is None or value.value != default.value}
            found += [(option, value) for value in others.values()]
    return found


def _number_instead(interp: Interpreter, option: Option, default: Const) -> Const | None:
    """The number that an option is given in place of its default, None or one that turns it off; None if neither."""
    return turned_on(default) or interp.world.settings.numbers.get(option)


def turned_on(default: Const) -> Const | None:
    """The number that an option is given which is turned off by default; None if it is no such option."""
    number = default.value
    if isinstance(number, float):
        return Const(_SMALL) if not number else None
    return Const(_FEW) if type(number) is int and number in (0, 1) else None


def as_typed(interp: Interpreter, value: Value, default: Value | None) -> Value:
    """What a parameter or field gets of a command line: a number of the same type turns on what its default turns off.

    Args:
        value: what it gets.
        default: its default; None if it has none.
    """
    typed = interp.root_run.command_line is not None and id(value) in interp.world.settings.given
    if not typed or type(value) is not Static or not isinstance(default, Const):
        return value
    same_type = type(default.value).__name__ == value.kind
    return (turned_on(default) if same_type else None) or value


_SMALL: Final = 0.1
"""What an option is given that is 0.0, and so turned off, by default."""

_FEW: Final = 4
"""What a number of steps or the like is given that is 0 or 1, and so turned off, by default."""

_NAMES_OF_DTYPES: Final = ("float32", "bfloat16")
_DTYPES: Final = [Const(name) for name in _NAMES_OF_DTYPES]
"""What users compute in."""

_NUMBERS: Final = {"builtins.float": Const(_SMALL), "builtins.int": Const(_FEW)}
"""What an option is given that is None by default, by its type."""

MAX_ASKED: Final = 32
"""Of a table that offers more, no entry is tried by itself."""

_NO_TABLE: Final[frozenset[object]] = frozenset()

_LARGEST: Final = 100
"""A table of more entries is told by its place alone."""


def _table(entries: Mapping[object, Value] | None) -> frozenset[object]:
    """What tells a table from others that code at the same place may ask: its keys."""
    return frozenset(entries) if entries is not None and len(entries) <= _LARGEST else _NO_TABLE


def default_in_call(interp: Interpreter, code: ir.Function, default: Value) -> Value:
    """The default of a parameter that a call leaves out. What traced code leaves out so is no option."""
    if isinstance(default, Const) and default.option is not None and _is_called_in_trace(interp, code):
        return Const(default.value)
    return default


def _is_called_in_trace(interp: Interpreter, code: ir.Function) -> bool:
    """Whether traced code calls a function, so that nobody else chooses its arguments: it is not what is traced."""
    trace = interp.trace
    return trace is not None and trace.staging and trace.entry.function.rpartition(":")[2] != code.qualname


def _is_written_in_trace(interp: Interpreter, text: str) -> bool:
    """Whether code that is traced gave a text where it called the running function: `ifft(x, "jax")`."""
    frame = interp.frame.home
    if frame.function is None or frame.called_at is None or not _is_called_in_trace(interp, frame.function):
        return False
    module, span = frame.called_at
    written = module.source.text[span.start : span.end]
    return f'"{text}"' in written or f"'{text}'" in written


def chosen_entry(interp: Interpreter, base: Dict, index: Value, node: ir.Subscript) -> Value | None:
    """What a text that callers give takes in this run from a table of functions or classes, if not what it says.

    Other runs note that the table offers more than what this text takes from it.
    """
    if isinstance(node.item, ir.Const) or not _is_text(index) or not isinstance(index, Const) or index.option:
        return None
    if _is_written_in_trace(interp, index.value):
        return None
    entries: list[Value] = list(base.entries.values())
    if len(entries) < 2 or not all(isinstance(entry, (ProjectCallable, Class)) for entry in entries):
        return None
    text = interp.module.snippet(node.item.span)
    option = Option(text, interp.module.snippet(node.value.span), names=True, declared=True)
    note_choice(interp, option, node.span, entries=base.entries)
    interp.world.settings.written.add(option)
    return join_all(entries) if option in interp.root_run.open_options else None
