"""IPython's cells as Python."""

from __future__ import annotations

import ast

import pytest

from jitlint.source.magics import python

AGAIN = "for _ in range(2):"


def code(cell: str) -> list[str]:
    """A cell's Python, which Python itself can parse."""
    lines = [line.text for line in python(cell)]
    ast.parse("\n".join(lines))
    return lines


@pytest.mark.parametrize(
    ("magic", "becomes"),
    [
        ("%time y = f(x)", ["y = f(x)"]),
        ("%time", ["pass"]),
        ("%time -x", ["-x"]),
        ("%timeit f(x)", [AGAIN, "    f(x)"]),
        ("%timeit -n 10 -r3 f(x)", [AGAIN, "    f(x)"]),
        ("%timeit -n1 -r1 f(x)", ["f(x)"]),
        ("%timeit -n 1 -r 1 -q f(x)", ["f(x)"]),
        ("%timeit -qo f(x)  # why", [AGAIN, "    f(x)  # why"]),
        ("%timeit for i in x: f(i)", [AGAIN, "    for i in x: f(i)"]),
        ("%timeit a; b", [AGAIN, "    a; b"]),
        ("%timeit f(x, \\\n  y)", [AGAIN, "    f(x, \\", "  y)"]),
        ("%timeit?", ["pass"]),
        ("%prun -s cumtime -l 5 f(x)", ["f(x)"]),
        ("%lprun -f g f(x)", ["f(x)"]),
        ("%memit f(x)", [AGAIN, "    f(x)"]),
        ("%mprun -f g f(x)", ["f(x)"]),
        ("%matplotlib inline", ["pass"]),
        ("%load_ext autoreload", ["pass"]),
        ("!pip install \\\n  jax", ["pass", ""]),
        ("!!ls", ["pass"]),
        ("!echo it's", ["pass"]),
        ("jnp.sum?", ["pass"]),
        ("jnp.sum??", ["pass"]),
        ("?jnp.sum", ["pass"]),
        ("jnp.s*?", ["pass"]),
        (",f a b", ["pass"]),
        ("/f a", ["pass"]),
        ("x = !ls -l", ["x = get_ipython()"]),
        ("a, b = %sx ls", ["a, b = get_ipython()"]),
        ("x.y[0] = %pwd", ["x.y[0] = get_ipython()"]),
        ("x['a'] = !ls", ["x['a'] = get_ipython()"]),
        ("y = %time f(x)", ["y =       f(x)"]),
        ("y = %time", ["y = get_ipython()"]),
        ("r = %timeit -o f(x)", ["r = get_ipython()", AGAIN, "    f(x)"]),
    ],
)
def test_line_magics(magic: str, becomes: list[str]) -> None:
    assert code(magic) == becomes
    inside = [" " * 4 + line if line.strip() and not line.startswith("  y") else line for line in becomes]
    assert [line.strip() for line in code(f"if x:\n    {magic}\n    z = 1")] == [
        "if x:",
        *(line.strip() for line in inside),
        "z = 1",
    ]


@pytest.mark.parametrize(
    "text",
    [
        's = """\n%timeit f(x)\n!ls\nwhat?\n"""',
        "s = '''a'''; t = '''\n!ls\n'''",
        "x = 7 \\\n% 2",
        "call(\n%s\n)".replace("%s", "-y"),
        "x = (7\n% 2)",
        'print("x = %d" % 3)',
        "print(f'{x = !r}')",
        "f(a, b='= !ls')",
        'x = "unclosed \\\n%time"',
        "x = a if b else 'what?'  # really?",
        'x = 3  # \'\n# """\ny = 4',
        "d = {'a': 1,\n     # (\n     'b': 2}\nx != y",
        'r = r"\\\\"; s = "\\\\"',
        "a @ b\n@jit\ndef f(): pass",
    ],
)
def test_python_stays_as_it_is(text: str) -> None:
    assert code(text) == text.split("\n")
    assert code(f"{text}\n%pwd") == [*text.split("\n"), "pass"]  # and it is known where it ends


@pytest.mark.parametrize("name", ["bash", "html", "writefile a.py", "javascript", "python3", "sh", "latex", "unheard"])
def test_cells_of_other_languages_have_no_python(name: str) -> None:
    assert code(f"%%{name}\nx = f(") == []
    assert code(f"\n  \n%%{name}\nx = f(") == []


def test_cells_that_are_run_by_a_magic() -> None:
    assert code("%%time\ny = f(x)\n%pwd") == ["y = f(x)", "pass"]
    assert code("%%capture out --no-stderr\ny = f(x)") == ["y = f(x)"]
    assert code("%%prun -s time\ny = f(x)") == ["y = f(x)"]
    assert code("%%timeit -n 5 q = 1\nfor i in x:\n    f(i)\n\ng(q)") == [
        "q = 1",
        AGAIN,
        "    for i in x:",
        "        f(i)",
        "    ",
        "    g(q)",
        "    pass",
    ]
    assert code("%%timeit -n1 -r1\nf(x)") == ["f(x)"]
    assert code("%%timeit\n# nothing") == [AGAIN, "    # nothing", "    pass"]


def test_cells_may_be_indented_or_sessions() -> None:
    assert code("\n  x = 1\n  if x:\n    y = 2\n") == ["x = 1", "if x:", "  y = 2", ""]
    session = ">>> def f(x):\n...     return x\n...\n>>> f(1)\n1\n>>> s = '''\n... a'''\n"
    assert code(session) == ["def f(x):", "    return x", "", "f(1)", "", "s = '''", "a'''", ""]


@pytest.mark.parametrize(
    "cell",
    [
        "a = 1\n%timeit -n 10 found(x)",
        "if a:\n    %timeit found(x)",
        "%time y = found(x)",
        "y = %time found(x)",
        "y = %timeit -o found(x)",
        "%%timeit -n 3\nfound(x)",
        "%%timeit a = found(x)\na",
        "%%time\n\nif a:\n    %prun -s time found(x)",
        "   a = 1\n   found(x)",
        ">>> found(x)",
    ],
)
def test_each_line_says_where_it_comes_from(cell: str) -> None:
    (line,) = (line for line in python(cell) if "found" in line.text)
    written = cell.split("\n")[line.number - 1]
    assert written.index("found") == line.text.index("found") + line.shift
