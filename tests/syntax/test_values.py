"""Operators, literals, names and other values of lowered nodes."""

from __future__ import annotations

import ast
import pickle
import warnings
from typing import Any

import libcst as cst
import pytest

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import lower
from jitlint.syntax.from_ast import lowering as from_ast
from jitlint.syntax.from_cst import lowering as from_cst


def expression(source: str) -> Any:
    (statement,) = lower(source).body
    assert isinstance(statement, ir.ExprStmt)
    return statement.value


def test_operators() -> None:
    comparison = expression("a < b <= c > d >= e == f != g is h is not i in j not in k")
    assert comparison.ops == ("<", "<=", ">", ">=", "==", "!=", "is", "is not", "in", "not in")
    for op in ("+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"):
        assert expression(f"a {op} b").op == op
        (augmented,) = lower(f"a {op}= b").body
        assert isinstance(augmented, ir.AugAssign)
        assert augmented.op == op
    assert [expression(f"{op} a").op for op in ("-", "+", "~", "not")] == ["-", "+", "~", "not"]


@pytest.mark.parametrize(
    "literal",
    ["0", "1_000", "0xff", "0b1", "0o17", "9" * 4000, "1.5e-3", "2j", "1_0.0_1", r"b'\x00a'", r"rb'\d'"],
)
def test_literals(literal: str) -> None:
    assert expression(literal).value == eval(literal)


@pytest.mark.parametrize(
    "literal",
    [
        *("''", '"a"', "'''a'b'''", '""""""', r"'\n\u00e9\N{EM DASH}'", r"r'\d'"),
        *("u'x'", "'a' \"b\" '''c'''", "'a\\\nb'", "'é'", '"""a\nb"""'),
    ],
)
def test_strings(literal: str) -> None:
    (statement,) = lower(f"x = {literal}\n").body
    assert isinstance(statement, ir.Assign)
    assert isinstance(statement.value, ir.Const)
    assert statement.value.value == eval(f"({literal})")


def test_a_number_too_large_to_convert_is_opaque() -> None:
    assert expression("9" * 5000) == ir.Opaque(Span(0, 5000), ())


def test_bytes_side_by_side() -> None:
    assert expression(r"b'a' b'\x00'").value == b"a\0"


def test_names_are_normalized() -> None:
    assert expression("\ufb01eld").name == "field"  # the ligature


def test_import_details() -> None:
    body = lower("from .. import a, b as c\nfrom d import *").body
    assert [statement.names for statement in body if isinstance(statement, ir.ImportFrom)] == [
        (("a", "a"), ("b", "c")),
        (("*", "*"),),
    ]


def test_name_spans() -> None:
    text = "@d\ndef  f(): a . b\nclass  C: pass\n"
    function, cls = lower(text).body
    assert isinstance(function, ir.FunctionDef)
    assert isinstance(cls, ir.ClassDef)
    (statement,) = function.function.body
    assert isinstance(statement, ir.ExprStmt)
    assert isinstance(statement.value, ir.Attribute)
    spans = function.function.name_span, cls.name_span, statement.value.name_span
    assert [(text[start:end], start) for start, end in spans] == [("f", 8), ("C", 26), ("b", 17)]


def test_annotations_in_strings_that_are_no_expressions_stay_strings() -> None:
    (statement,) = lower("x: 'batch of'").body
    assert isinstance(statement, ir.AnnAssign)
    assert statement.annotation == ir.Const(Span(3, 13), "batch of")


def test_layout_does_not_matter() -> None:
    text = "\f# a, b; (\nif(  # x\n a\\\n):\n\n    b ;c; # y\n\t\nd = (  # e, f\n  g  ,  # h\n)\n"
    branch, assignment = lower(text).body
    assert text[branch.span.start : branch.span.end] == "if(  # x\n a\\\n):\n\n    b ;c"
    assert text[assignment.span.start : assignment.span.end] == "d = (  # e, f\n  g  ,  # h\n)"


def test_pickling() -> None:
    module = lower("def f(x):\n  return [y + 1 for y in x]\n")
    assert pickle.loads(pickle.dumps(module)) == module


def concrete(*bases: type) -> set[str]:
    classes = {value for value in vars(cst).values() if isinstance(value, type)}
    return {cls.__name__ for cls in classes if issubclass(cls, bases) and not cls.__name__.startswith("Base")}


def test_every_node_of_the_grammar_is_known() -> None:
    assert {node.__name__ for node in from_cst.EXPRESSIONS} >= concrete(cst.BaseExpression, cst.BaseElement)
    assert {node.__name__ for node in from_cst.STATEMENTS} >= concrete(
        cst.BaseSmallStatement, cst.BaseCompoundStatement
    )


def test_every_node_of_python_is_known() -> None:
    """But for those within f-strings, which are read from the text."""
    assert set(from_ast.EXPRESSIONS) == {
        node for node in ast.expr.__subclasses__() if node.__name__ not in ("FormattedValue", "Interpolation")
    }
    assert set(from_ast.STATEMENTS) == set(ast.stmt.__subclasses__())


def test_invalid_escapes_do_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert expression(r"f('\d')").arguments[0].value.value == r"\d"
