"""Which changes of a file concern the modules that import it, although they do not run its functions."""

from __future__ import annotations

import pytest

from jitlint.project.outline import Outline, outline
from jitlint.syntax import lower

BODY = "    if a: pass\n"
TEXT = f"import jax\nclass A:\n  def f(self, a):\n{BODY}def g(a): pass\n"


def outlined(text: str) -> Outline:
    return outline(text, lower(text))


@pytest.mark.parametrize(
    "body",
    ["    return a\n", "    # self.x = 1\n    pass\n", "    'yield'\n", "    def h(): yield\n", "    self.x == 1\n"],
)
def test_a_body_concerns_only_who_runs_it(body: str) -> None:
    before, after = outlined(TEXT), outlined(TEXT.replace(BODY, body))
    assert after.top == before.top
    assert after.suites != before.suites


@pytest.mark.parametrize(
    "body",
    [
        "    if a: self.x = 1\n",
        "    b = self.x = 1\n",
        "    self.x += 1\n",
        "    def h(): self.x: int = 1\n",
        "    if a: global b\n",
        "    self.stack.pop()\n",
        "    return (yield)\n",
    ],
)
def test_what_a_body_says_of_its_class_its_module_or_its_kind_concerns_all(body: str) -> None:
    assert outlined(TEXT.replace(BODY, body)).top != outlined(TEXT).top


@pytest.mark.parametrize("part, other", [("import jax", "import numpy"), ("class A", "class B"), ("a):", "a=1):")])
def test_what_stands_outside_of_bodies_concerns_all(part: str, other: str) -> None:
    assert outlined(TEXT.replace(part, other)).top != outlined(TEXT).top


def test_attributes_belong_to_their_class() -> None:
    first = "class A:\n  def f(self): self.x = 1\nclass B:\n  def f(self): pass\n"
    second = "class A:\n  def f(self): pass\nclass B:\n  def f(self): self.x = 1\n"
    assert outlined(first).top != outlined(second).top
