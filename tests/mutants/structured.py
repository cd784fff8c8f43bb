"""What is injected around structured control flow and objects that keep their form."""

from __future__ import annotations

from tests.mutants.templates import Kind, each

_POINT = (
    "@jax.tree_util.register_dataclass",
    "@dataclasses.dataclass(frozen=True)",
    "class Point_:",
    "    left: object",
)
_PAIR = ("Pair_ = collections.namedtuple('Pair_', 'left right')",)

STRUCTURED = {
    "carry": Kind(
        ("JIT702",),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: ((carry_, 1.0), row_), 0.0, <a>)",
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_ + 0.5, None), jnp.int32(0), <a>)",
            "looped_ = jax.lax.scan(lambda carry_, row_: (jnp.stack([carry_, carry_]), None), <v>, None, length=2)",
            "looped_ = jax.lax.fori_loop(0, 3, lambda at_, carry_: [carry_], <v>)",
            "def body_(carry_):\n    return carry_[0], carry_[1] + 1.5\n"
            "looped_ = jax.lax.while_loop(lambda carry_: carry_[1] < 3, body_, (<v>, jnp.int32(0)))",
            "def body_(carry_, row_):\n    return {'sum': carry_['sum'] + 1.0, 'count': 1}, row_\n"
            "looped_, _ = jax.lax.scan(body_, {'sum': 0.0}, <a>)",
        ),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_ + 1, row_), jnp.float32(0), <a>)",
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_ + 0.5, None), 0, <a>)",
            "looped_ = jax.lax.fori_loop(0, 3, lambda at_, carry_: (carry_[1], carry_[0]), (<v>, <v>))",
            "def body_(carry_):\n    return carry_[0], carry_[1] + 1\n"
            "looped_ = jax.lax.while_loop(lambda carry_: carry_[1] < 3, body_, (<v>, 0))",
            "def body_(carry_, row_):\n    return {**carry_, 'sum': carry_['sum'] + 1.0}, row_\n"
            "looped_, _ = jax.lax.scan(body_, {'sum': 0.0, 'count': 1}, <a>)",
        ),
    ),
    "branches": Kind(
        ("JIT703",),
        each(
            "picked_ = jax.lax.cond(<v> > 0, lambda value_: value_, lambda value_: (value_, value_), <v>)",
            "picked_ = jax.lax.switch(<n>, [lambda value_: value_, lambda value_: [value_]], <v>)",
            "picked_ = jax.lax.cond(<v> > 0, lambda: jnp.zeros(2), lambda: jnp.zeros((2, 1)))",
            "picked_ = jax.lax.cond(<v> > 0, lambda: jnp.float32(1), lambda: jnp.int32(1))",
            "def yes_(value_):\n    return {'a': value_}\n\ndef no_(value_):\n    return {'b': value_}\n"
            "picked_ = jax.lax.cond(<v> > 0, yes_, no_, <v>)",
        ),
        each(
            "picked_ = jax.lax.cond(<v> > 0, lambda value_: (value_, value_), lambda value_: (value_, value_), <v>)",
            "picked_ = jax.lax.switch(<n>, [lambda value_: [value_], lambda value_: [value_]], <v>)",
            "picked_ = jax.lax.cond(<v> > 0, lambda: jnp.zeros(2), lambda: jnp.ones((2,)))",
            "picked_ = jax.lax.cond(<v> > 0, lambda: jnp.float32(1), lambda: jnp.float32(2))",
        ),
    ),
    "loop condition": Kind(
        ("JIT704",),
        each(
            "looped_ = jax.lax.while_loop(lambda carry_: carry_ * 1.5, lambda carry_: carry_, <v> * 1.5)",
            "looped_ = jax.lax.while_loop(lambda carry_: (carry_ > 9, 1), lambda carry_: carry_, <v>)",
            "looped_ = jax.lax.while_loop(lambda carry_: carry_ > 9, lambda carry_: carry_, jnp.zeros(3))",
        ),
        each(
            "looped_ = jax.lax.while_loop(lambda carry_: carry_ < 3, lambda carry_: carry_ + 1, jnp.int32(0))",
            "looped_ = jax.lax.while_loop(lambda carry_: jnp.any(carry_ > 9), lambda carry_: carry_, jnp.zeros(3))",
        ),
    ),
    "scan lengths": Kind(
        ("JIT705",),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_, None), 0.0, (jnp.zeros(5), jnp.zeros(7)))",
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_ + <v>, row_), 0.0, jnp.arange(3), length=4)",
        ),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_, None), 0.0, (<a>, jnp.arange(<a>.shape[0])))",
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_, row_), 0.0, <a>, length=len(<a>))",
        ),
    ),
    "scan pair": Kind(
        ("JIT706",),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: carry_ + 1.0, 0.0, <a>)",
            "looped_ = jax.lax.scan(lambda carry_, row_: (carry_, row_, 1), 0.0, <a>)",
            "def body_(carry_, row_):\n    kept_ = carry_, row_\nlooped_ = jax.lax.scan(body_, 0.0, <a>)",
        ),
        each(
            "looped_ = jax.lax.scan(lambda carry_, row_: [carry_, row_], 0.0, <a>)",
            "def body_(carry_, row_):\n    kept_ = carry_, row_\n    return kept_\n"
            "looped_ = jax.lax.scan(body_, 0.0, <a>)",
        ),
    ),
    "branch selector": Kind(
        ("JIT707",),
        each(
            "picked_ = jax.lax.cond(jnp.stack([<v>, <v>]) > 0, lambda: 1, lambda: 2)",
            "picked_ = jax.lax.cond((<v> > 0,), lambda: 1, lambda: 2)",
            "picked_ = jax.lax.switch(<v> * 1.5, [lambda: 1, lambda: 2])",
        ),
        each(
            "picked_ = jax.lax.cond(<v> > 0, lambda: 1, lambda: 2)",
            "picked_ = jax.lax.cond(jnp.all(<a> > 0), lambda: 1, lambda: 2)",
            "picked_ = jax.lax.switch(<n>, [lambda: 1, lambda: 2])",
        ),
    ),
    "loop bounds": Kind(
        ("JIT708",),
        each(
            "looped_ = jax.lax.fori_loop(0, <v> * 1.5, lambda at_, carry_: carry_, 0.0)",
            "looped_ = jax.lax.fori_loop(0, <d> / 2, lambda at_, carry_: carry_, 0.0)",
            "looped_ = jax.lax.fori_loop(0, jnp.sqrt(<d>), lambda at_, carry_: carry_, 0.0)",
        ),
        each(
            "looped_ = jax.lax.fori_loop(0, <d> // 2, lambda at_, carry_: carry_ + at_, 0)",
            "looped_ = jax.lax.fori_loop(0, jnp.int32(3), lambda at_, carry_: carry_, <v>)",
        ),
    ),
    "frozen": Kind(
        ("JIT508",),
        each("point_ = Point_(<v>)\npoint_.left = 1.0", module=_POINT)
        + each("pair_ = Pair_(<v>, 1.0)\npair_.left += 1.0", module=_PAIR),
        each("point_ = Point_(<v>)\npoint_ = dataclasses.replace(point_, left=1.0)", module=_POINT)
        + each("pair_ = Pair_(<v>, 1.0)\npair_ = pair_._replace(left=1.0)", module=_PAIR),
    ),
}
