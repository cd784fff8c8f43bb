"""What `argparse` gives: the types that `add_argument` declares."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, events, write

from jitlint.analysis.api import analyze
from jitlint.events.assumption import AssumptionKind
from jitlint.project.cache import Cache
from jitlint.project.modules import Project

DECLARED = {
    '"--size", type=int, default=3': "Static int",
    '"-s", "--size", type=float, default=0.5': "Static float",
    '"size"': "Static str",
    '"size", type=int, nargs=2': "Static list [int, …]",
    '"--size", type=int, nargs="*"': "Static None | Static list [int, …]",
    '"--size", type=int, nargs="+", default=[1]': "Static list [int, …]",
    '"--size", action="store_true"': "Static bool",
    '"--size", type=int': "Unknown",
    '"--size", type=int, default=None': "Unknown",
    '"--size", default=0.1': "Unknown",
    '"--size", type=lambda text: text.split(",")': "Unknown",
    '"--size", action="append", type=int': "Static None | Static list [int, …]",
    '"--size", action="append"': "Static None | Static list [str, …]",
    '"--other", dest="size", type=int, default=1': "Static int",
    '"--other", type=int, default=1': "Unknown",
}


@pytest.mark.parametrize("declared", DECLARED)
def test_types_of_arguments(tmp_path: Path, declared: str) -> None:
    program = f"""
        import argparse
        import jax
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("shapes")
        group.add_argument({declared})
        args = parser.parse_args()
        reveal_stage(args.size)
    """
    [seen] = analyze(Project(write(tmp_path, program), Cache(None))).revealed
    assert seen.text == DECLARED[declared]


def test_a_list_from_the_command_line_is_no_static_argument(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import argparse
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="widths")
        def pad(x, widths):
            return jnp.pad(x, widths)

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--widths", type=int, nargs="*")
            parser.add_argument("--around", type=int, nargs="+", default=[1, 1])
            args = parser.parse_args()
            x = jnp.ones(3)
            if args.widths:
                x = pad(x, args.widths)  # expect: JIT403
            return pad(x, tuple(args.around))
        """,
    )


def test_an_argument_with_a_default_is_not_none(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import argparse

        import jax
        import jax.numpy as jnp

        @jax.jit
        def norms(x):
            return jnp.sum(x * x)

        def clip(x, limit=None):
            limit = float(x.max()) if limit is None else limit
            return jnp.minimum(x, limit)

        def main():
            parser = argparse.ArgumentParser()
            parser.add_argument("--limit", type=float, default=1.0)
            limit = parser.parse_args().limit
            return jax.jit(lambda x: norms(clip(x, limit=limit)))(jnp.ones(3))
        """,
    )


def test_a_finding_says_the_options_that_lead_to_it(tmp_path: Path) -> None:
    program = """
        import argparse

        import jax
        import jax.numpy as jnp

        def total(values, weight):
            def add(carry, value):
                carry = carry + value if weight is None else carry + weight * value
                return carry, None
            return jax.lax.scan(add, jnp.zeros((), int), values)[0]

        def first(args):
            return args.size

        def second(args):
            return total(jnp.arange(args.size), args.weight)

        def main():
            parser = argparse.ArgumentParser()
            commands = parser.add_subparsers(dest="command", required=True)
            for name, run in (("first", first), ("second", second)):
                command = commands.add_parser(name)
                command.add_argument("--size", type=int, default=3)
                command.set_defaults(run=run)
            command.add_argument("--weight", type=float)
            args = parser.parse_args()
            return args.run(args)

        main()
    """
    [event] = events(tmp_path, program)
    assert [each.text for each in event.assumptions if each.kind is AssumptionKind.COMMAND_LINE] == [
        "the command line gives `command='second', weight=…`"
    ]
