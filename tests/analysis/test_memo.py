"""Remembering the results of calls changes no finding."""

from __future__ import annotations

from pathlib import Path

from programs import check, events, findings, write


def test_the_same_function_with_traced_and_static_arguments(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def relu(v):
            if v > 0:  # expect: JIT101
                return v
            return 0

        relu(3)
        relu(4)

        @jax.jit
        def f(x):
            relu(2)
            return relu(x) + relu(x) + relu(1)
        """,
    )


def test_results_are_those_of_the_arguments(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def first(pair):
            return pair[0]

        @jax.jit
        def f(x):
            if first((1, x)): x = x + 1
            if first((x, 1)): x = x + 1  # expect: JIT101
            if first((2, x)): x = x + 1
            if first([x, 1]): x = x + 1  # expect: JIT101
            return x
        """,
    )


def test_effects_on_arguments_happen_in_each_call(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def put(items, value):
            items.append(value)

        @jax.jit
        def f(x):
            a, b = [], []
            put(a, x)
            put(b, x)
            put(b, 1)
            if len(a) == 1 and len(b) == 2 and b[1]: x = x + 1
            if a[0]: x = x + 1  # expect: JIT101
            if b[0]: x = x + 1  # expect: JIT101
            return x
        """,
    )


def test_effects_on_closures_happen_in_each_call(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        @jax.jit
        def f(x):
            last = 1

            def keep(value):
                nonlocal last
                last = value

            keep(x)
            if last: x = x + 1  # expect: JIT101
            keep(2)
            if last: x = x + 1
            keep(x)
            if last: x = x + 1  # expect: JIT101
            return x
        """,
    )


def test_closures_of_one_function_are_told_apart(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def constant(value):
            return lambda: value

        @jax.jit
        def f(x):
            one, two = constant(1), constant(x)
            if one(): x = x + 1
            if two(): x = x + 1  # expect: JIT101
            if one(): x = x + 1
            return x
        """,
    )


def test_contexts_are_told_apart(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def loss(w):
            return w if w > 0 else -w

        def other(w):
            return w if w > 0 else -w  # expect: JIT104

        jax.grad(loss)(1.0)
        jax.grad(other)(1.0)
        jax.jit(other)(1.0)
        jax.grad(other)(1.0)
        """,
    )


def test_many_calls_cost_constants_not_findings(tmp_path: Path) -> None:
    calls = "".join(f"    x = scale(x, {n})\n" for n in range(100))
    found = events(
        tmp_path,
        "import jax\n\ndef scale(v, n):\n    if n: v = v * n\n    if v > 0: v = v + n\n    return v\n\n"
        f"@jax.jit\ndef f(x):\n{calls}    return x if x > 0 else -x\n",
    )
    assert [(event.place.line, event.construct) for event in found] == [(5, "if"), (110, "ternary")]


def test_callers_of_one_helper_do_not_use_up_its_budget(tmp_path: Path) -> None:
    functions = "".join(
        f"@jax.jit\ndef f{n}(x):\n    if pick({{'k{n}': x}}, 'k{n}') > 0: return 1\n    return x\n" for n in range(60)
    )
    text = f"import jax\n\ndef pick(table, key):\n    return table[key]\n\n{functions}"
    assert len(findings(write(tmp_path, text))) == 60


def test_deep_arguments_are_told_apart(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def leaf(t):
            return t["a"]["b"]["c"]["d"]["e"]["f"]["g"]

        @jax.jit
        def f(x):
            if leaf({"a": {"b": {"c": {"d": {"e": {"f": {"g": x}}}}}}}): x = x + 1  # expect: JIT101
            if leaf({"a": {"b": {"c": {"d": {"e": {"f": {"g": 1}}}}}}}): x = x + 1
            return x
        """,
    )


def test_linked_objects_are_told_apart(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        class Node:
            def __init__(self, depth): self.child = Node(depth - 1) if depth else None
            def total(self, v): return v if self.child is None else self.child.total(v)

        @jax.jit
        def f(x): return 1 if Node(9).total(x) else 0  # expect: JIT104

        @jax.jit
        def g(x): return Node(1000).total(x)
        """,
    )


def test_functions_with_other_defaults_are_others(tmp_path: Path) -> None:
    check(
        tmp_path,
        """\
        import jax

        def call(function):
            return function()

        def made(value):
            return lambda given=value: given

        @jax.jit
        def f(x):
            for value in (1, x):
                def give(given=value):
                    return given
                if call(give): x = x + 1  # expect: JIT101
            if call(made(1)): x = x + 1
            if call(made(x)): x = x + 1  # expect: JIT101
            return x
        """,
    )
