"""What both front ends assemble alike: names that a statement binds, imports, rewrites."""

from __future__ import annotations

from jitlint import ir
from jitlint.source.places import Span
from jitlint.syntax import build
from jitlint.syntax.scopes import class_scope, function_scope, module_scope

SPAN = Span(0, 1)


def name(text: str) -> ir.Name:
    return ir.Name(SPAN, text)


def display(*elements: ir.Expr) -> ir.Display:
    return ir.Display(SPAN, "tuple", elements)


def test_targets_bind_their_names() -> None:
    scope = module_scope("")
    targets = display(name("a"), ir.Starred(SPAN, name("b"))), ir.Subscript(SPAN, name("c"), name("d"))
    build.assign(scope, SPAN, targets, name("e"))
    build.annotated(scope, SPAN, name("f"), name("int"), None)
    build.augmented(scope, SPAN, name("g"), "+", name("h"))
    assert scope.locals() == {"a", "b", "f", "g"}


def test_what_is_deleted_is_bound_and_loses_its_brackets() -> None:
    scope = module_scope("")
    deleted = build.delete(scope, SPAN, (display(display(name("a"), display(name("b")))),))
    assert deleted.targets == (name("a"), display(name("b")))
    assert scope.locals() == {"a", "b"}


def test_imports_are_bound_and_noted_for_the_module() -> None:
    scope = module_scope("")
    inner = function_scope(scope, "f", ())
    assert build.import_(inner, SPAN, "a.b", None) == ir.Import(SPAN, "a.b", "a", "a")
    assert build.import_(inner, SPAN, "a.b", "c") == ir.Import(SPAN, "a.b", "c", "a.b")
    build.import_from(inner, SPAN, "d", 1, (("*", "*"), ("e", "g")))
    assert inner.locals() == {"a", "c", "g"}
    assert [imported.module for imported in build.module(scope, ()).imports] == ["a.b", "a.b", "d"]


def test_elif_becomes_a_nested_if() -> None:
    outer, inner = Span(0, 9), Span(5, 9)
    (node,) = build.if_chain([(outer, name("a"), ()), (inner, name("b"), ())], (ir.Break(SPAN),))
    assert node == ir.If(outer, name("a"), (), (ir.If(inner, name("b"), (), (ir.Break(SPAN),)),))


def test_a_field_with_an_equals_sign_shows_its_text() -> None:
    scope = module_scope("x = ")
    shown = ir.Const(Span(0, 4), "x = ")
    spec = ir.FormatString(SPAN, ())
    for given, specification, conversion in (("", None, "r"), ("s", None, "s"), ("", spec, "")):
        parts = build.format_field(scope, SPAN, Span(0, 4), name("x"), given, specification)
        assert parts == [shown, ir.FormatField(SPAN, name("x"), conversion, specification)]
    assert build.format_field(scope, SPAN, None, name("x"), "", None) == [ir.FormatField(SPAN, name("x"), "", None)]


def test_definitions_are_qualified_by_their_scopes() -> None:
    module = module_scope("")
    cls = class_scope(module, "A")
    method = function_scope(cls, "f", ())
    assert function_scope(method, "<lambda>", ()).qualname == "A.f.<locals>.<lambda>"
    build.declare_global(method, ["g"])
    assert function_scope(method, "g", ()).qualname == "g"
    assert build.module(module, ()).rebound == {"g"}
