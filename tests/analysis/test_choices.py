"""Options one by one: what each of an option's values leads to, and the libraries that make command lines."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check

GROWING = """
import jax
import jax.numpy as jnp

@jax.jit
def total(x):
    return x.sum()

def work(kind, grow):
    seen = []
    for step in range(4):
        seen.append(float(step))
        x = jnp.asarray(seen) if grow else jnp.ones(3)
        total(x + OFFSETS[kind])  # expect: JIT407

OFFSETS = {"none": 0.0, "one": 1.0}
"""

COMMANDS = {
    "click": """
import click

@click.group()
def main():
    pass

@main.command("go")
@click.option("--kind", type=click.Choice(sorted(OFFSETS)), default="none")
@click.option("--grow/--no-grow", default=False)
def go(kind, grow):
    work(kind, grow)
""",
    "typer": """
import typer

app = typer.Typer()

@app.command()
def go(kind: str = typer.Option("none", help="which"), grow: bool = typer.Option(False)):
    work(kind, grow)

app()
""",
    "tyro": """
import dataclasses
import tyro

@dataclasses.dataclass
class Args:
    kind: str = "none"
    grow: bool = False

if __name__ == "__main__":
    args = tyro.cli(Args)
    work(args.kind, args.grow)
""",
    "fire": """
import fire

class Cli:
    def go(self, kind="none", grow=False):
        work(kind, grow)

fire.Fire(Cli)
""",
    "a parameter": """
def go(kind, grow=False):
    work(kind, grow)
""",
}


@pytest.mark.parametrize("library", COMMANDS)
def test_a_switch_is_followed_by_itself(tmp_path: Path, library: str) -> None:
    check(tmp_path, GROWING + COMMANDS[library])


def test_what_a_callback_makes_of_an_option_is_what_the_command_gets(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        from functools import partial

        import click
        import jax

        @partial(jax.jit, static_argnames="grid")
        def best(x, grid):
            return x * max(grid)

        def parse_grid(context, option, text):
            return (0.5,) if text is None else sorted(map(float, text.split(",")))

        @click.command()
        @click.option("--grid", callback=parse_grid)
        def main(grid):
            return best(jax.numpy.ones(3), grid)  # expect: JIT403
        """,
    )


def test_a_text_that_a_parameter_is_compared_with_is_given(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax
        import jax.numpy as jnp

        def start(kind):
            if kind == "range":
                return jnp.arange(3)
            return jnp.zeros(3)

        def summed(xs, kind="zeros"):
            def body(carry, x):
                return carry + x * 0.5, None

            return jax.lax.scan(body, start(kind), xs)[0]  # expect: JIT702
        """,
    )
