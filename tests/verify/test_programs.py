"""The project's programs are run as their users run them, and what they pass to functions is no guess."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.pipeline import find
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions
from jitlint.verify.programs import Programs

MODEL = """\
import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np


@dataclasses.dataclass(frozen=True)
class Config:
    loss: str = "plain"
    checked: bool = False


def plain(x, table):
    return (x @ table).sum()


def careful(x, table):
    y = (x @ table).sum()
    return y if y > 0 else -y  # chosen by a field


LOSSES = {"plain": plain, "careful": careful}


def make_step(config):
    loss = LOSSES[config.loss]

    @jax.jit
    def step(table, x):
        if table.shape != (7, 11) or x.shape != (5, 7):
            raise ValueError("not the shapes of the program")
        return loss(x, table)

    return step


@functools.partial(jax.jit, static_argnames="mode")
def score(table, x, mode="fast"):
    if table.shape != (7, 11) or x.shape != (5, 7):
        raise ValueError("not the shapes of the program")
    y = (x @ table).sum()
    if mode == "fast":
        return y
    while y > 1.0:  # chosen by an argument
        y = y / 2
    return y


@jax.jit
def rounded(table):
    if table.shape != (7, 11):
        raise ValueError("not the shapes of the program")
    return np.sort(table)  # reached with a command line


@functools.partial(jax.jit, donate_argnums=0)
def scaled(table, factor):
    if table.shape != (7, 11):
        raise ValueError("not the shapes of the program")
    return table * factor


def compare(table, factor=0.5):
    new = scaled(table, factor)
    return new - table  # called by nobody
"""
TRAIN = """\
import argparse

import jax.numpy as jnp

import model


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounded", action="store_true")
    arguments = parser.parse_args(argv)
    table = jnp.ones((7, 11))
    x = jnp.ones((5, 7))
    step = model.make_step(model.Config())
    print(step(table, x), model.score(table, x))
    if arguments.rounded:
        print(model.rounded(table))
    table = model.scaled(table, 0.9)
    while ENDLESS:
        table = table * 0.99


ENDLESS = True

if __name__ == "__main__":
    main()
"""
PLACES = {
    "chosen by a field": "program",
    "chosen by an argument": "program",
    "reached with a command line": "program",
    "called by nobody": "alike",
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Mapping[int, Mapping[str, Any]]:
    """The verdicts on a project's findings, by their lines in its module."""
    folder = tmp_path_factory.mktemp("project")
    source(folder / "model.py", MODEL)
    source(folder / "train.py", TRAIN)
    command = (sys.executable, "-m", "jitlint", "--verify", "--format=json", "--no-cache", ".")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return {found["line"]: found["verdict"] for found in json.loads(done.stdout)["findings"]}


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_programs_give_inputs_that_no_search_would_find(verdicts: Mapping[int, Mapping[str, Any]], place: str) -> None:
    line = next(number for number, text in enumerate(MODEL.splitlines(), 1) if text.endswith(f"# {place}"))
    verdict = verdicts[line]
    assert verdict["status"] == "confirmed", verdict
    assert verdict["evidence"]["inputs_from"] == PLACES[place]


FILES = {
    "pkg/__init__.py": "",
    "pkg/layers.py": "import jax\n",
    "pkg/model.py": "from . import layers\n",
    "pkg/cli.py": "from .model import Net\n\nif __name__ == '__main__':\n    Net()\n",
    "scripts/sweep.py": "import pkg.cli\n\nif __name__ == '__main__':\n    pkg.cli.main()\n",
    "scripts/other.py": "import json\n\nif __name__ == '__main__':\n    json.loads('1')\n",
    "tests/test_layers.py": "from pkg import layers\n\ndef test_dense() -> None:\n    layers.dense()\n",
    "tests/test_fixtures.py": "from pkg import layers\n\ndef test_dense(tmp_path):\n    layers.dense()\n",
    "tool.py": "import json\n\ndef main(argv=None):\n    json.loads('1')\n",
    "broken.py": "import pkg.layers\nif __name__ == '__main__':\n    (\n",
}


@pytest.mark.parametrize(
    ("file", "leading"),
    [
        ("pkg/layers.py", ["pkg/cli.py", "scripts/sweep.py", "tests/test_layers.py"]),
        ("pkg/cli.py", ["pkg/cli.py", "scripts/sweep.py"]),
        ("tool.py", ["tool.py"]),
        ("scripts/other.py", ["scripts/other.py"]),
        ("tests/test_fixtures.py", ["tests/test_fixtures.py"]),
    ],
)
def test_programs_lead_to_what_they_import(tmp_path: Path, file: str, leading: list[str]) -> None:
    sources = []
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        sources.append(source(path, text))
    found = Programs(sources).leading_to(str(tmp_path / file))
    assert [Path(program).relative_to(tmp_path).as_posix() for program in found] == leading


@pytest.mark.slow
def test_programs_are_started_in_a_sandbox_only(tmp_path: Path) -> None:
    text = """\
import jax


@jax.jit
def step(table):
    if table["a"]["b"].sum() > 0 and len(table) == 3:
        return 1
    return 2


if __name__ == "__main__":
    step({"a": {"b": jax.numpy.ones(7)}, "c": 1, "d": 2})
"""
    model = source(tmp_path / "model.py", text)
    found = finding(model, Kind.BOOL, "and", 'table["a"]["b"].sum() > 0', entry="jax.jit", function="step", root="step")
    started = []
    for sandbox in ("auto", "off"):
        (seen,) = verify([found], [model], VerifyOptions(sandbox=sandbox))
        assert seen.verdict is not None
        started.append("program" in str(seen.verdict.evidence.get("where")))
    assert started == [True, False]


COMMANDS = """\
import argparse
import dataclasses
import json
import sys
from functools import partial

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Bands:
    edges: tuple[float, ...] = (0.5, 1.0)


@partial(jax.jit, static_argnames="bands")
def loudness(signal, bands):
    return sum(jnp.sum(signal > edge) for edge in bands.edges)


class Muted:
    def __init__(self):
        self._channels = set()

    def mute(self, channel):
        self._channels.add(channel)

    def gains(self):
        return [0.0 if channel in self._channels else 1.0 for channel in range(3)]  # muted


class Mixer:
    def __init__(self, muted: Muted):
        self.muted = muted
        self.mix = jax.jit(self._mix)

    def _mix(self, signals):
        return jnp.tensordot(jnp.asarray(self.muted.gains()), signals, axes=1)


class Dither:
    def __init__(self, noise):
        self.noise = noise

    def __call__(self, signal):
        return signal + next(self.noise)  # noise


class Plain:
    def __call__(self, signal):
        return signal


def build(kind, noise):
    return Dither(noise) if kind == "dither" else Plain()


def run_render(signal, kind):
    finish = build(kind, iter([0.1, 0.2, 0.3]))

    @jax.jit
    def render(signal):
        return finish(signal)

    return [render(signal) for _ in range(2)]


def run_mix(signals):
    muted = Muted()
    mixer = Mixer(muted)
    before = mixer.mix(signals)
    muted.mute(1)
    return before, mixer.mix(signals)


def run_measure(signal, path):
    bands = Bands(**json.loads(open(path).read())) if path else Bands()
    return loudness(signal, bands)  # bands


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("command", nargs="?", default="measure")
    parser.add_argument("--bands")
    parser.add_argument("--kind", default="plain")
    args = parser.parse_args(argv)
    signal = jnp.linspace(0.0, 2.0, 6)
    if args.command == "measure":
        print(run_measure(signal, args.bands))
    elif args.command == "mix":
        print(run_mix(jnp.stack([signal] * 3)))
    elif args.command == "render":
        print(run_render(signal, args.kind))
    else:
        parser.error("unknown command")
    return 0


if __name__ == "__main__":
    sys.exit(main())
"""


@pytest.mark.slow
def test_programs_are_run_with_their_commands_and_with_two_options_at_once(tmp_path: Path) -> None:
    file = source(tmp_path / "studio.py", COMMANDS)
    found = verify(list(find([file]).findings), [file], VerifyOptions())
    places = {text.rpartition("# ")[2]: at for at, text in enumerate(COMMANDS.splitlines(), 1) if "  # " in text}
    verdicts = {each.event.place.line: each.verdict for each in found}
    assert verdicts.keys() == set(places.values())
    assert {verdict.status for verdict in verdicts.values() if verdict} == {"confirmed"}, verdicts
    assert "edges=[0.5, 1.0]" in str(verdicts[places["bands"]])


SUBCOMMANDS = """\
import argparse
import dataclasses

import jax
import jax.numpy as jnp

GAUGES = {}


def gauge(function):
    GAUGES[function.__name__] = function
    return function


@gauge
def mean(level):
    return level.mean()


@gauge
def above(level):
    return level[level > 1.0].mean()  # above


@dataclasses.dataclass(frozen=True)
class Report:
    gauges: tuple = ("mean",)


class Basin:
    def __init__(self, level, relax):
        self.level, self.relax = level, relax
        self.step = jax.jit(self._step)

    def _step(self, level):
        return self.relax(level)

    def report(self, report):
        return jax.jit(lambda level: {name: GAUGES[name](level) for name in report.gauges})(self.level)


def plain(level):
    return 0.9 * level


def capped(level):
    return level if level.max() < 3.0 else 0.5 * level  # capped


RELAXATIONS = {"plain": plain, "capped": capped}


def simulate(args):
    basin = Basin(jnp.linspace(0.0, 2.0, args.cells), RELAXATIONS[args.relax])
    for _ in range(3):
        basin.level = basin.step(basin.level)
    with open(args.out, "w") as file:
        file.write(str(basin.level.tolist()))


def measure(args):
    with open(args.levels) as file:
        level = jnp.asarray([float(part) for part in file.read().strip("[]").split(",")])
    if level.shape != (7,):
        raise ValueError("not the levels that were written")
    print(Basin(level, plain).report(Report()))


def main(argv=None):
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    first = commands.add_parser("simulate")
    first.add_argument("out")
    first.add_argument("--cells", type=int, default=7)
    first.add_argument("--relax", choices=sorted(RELAXATIONS), default="plain")
    second = commands.add_parser("measure")
    second.add_argument("levels")
    args = parser.parse_args(argv)
    {"simulate": simulate, "measure": measure}[args.command](args)


if __name__ == "__main__":
    main()
"""

SUITE = """\
import jax.numpy as jnp
import pytest

import filters


@pytest.fixture(scope="module")
def taps():
    return [0.5, 0.25, 0.125]


@pytest.fixture
def bank(tmp_path, taps):
    (tmp_path / "taps.txt").write_text(" ".join(map(str, taps)))
    yield filters.Bank(tmp_path / "taps.txt")


@pytest.mark.parametrize("mode", ["flat", pytest.param("strict", id="s")])
def test_modes(bank, mode):
    bank.filtered(jnp.arange(3.0), mode)


class TestBank:
    def test_peak(self, bank):
        assert bank.peak(jnp.arange(3.0)).shape == ()
"""

FILTERS = """\
import functools

import jax
import jax.numpy as jnp


class Bank:
    def __init__(self, path):
        with open(path) as file:
            self.taps = [float(word) for word in file.read().split()]
        self._run = jax.jit(self._filtered, static_argnames="mode")
        self._highest = jax.jit(self._peak)

    def filtered(self, signal, mode):
        return self._run(signal, mode)

    def _filtered(self, signal, mode):
        if mode == "strict":
            return int(signal.sum()) * jnp.asarray(self.taps)  # strict
        return jnp.asarray(self.taps) * signal

    def peak(self, signal):
        return self._highest(signal)

    def _peak(self, signal):
        return self.taps[jnp.argmax(signal)] * signal[0]  # peak
"""


def _confirmed(folder: Path, files: Mapping[str, str], marked: str) -> None:
    """Verifies a project, whose findings are at the marked lines of one file, and asserts that each is confirmed."""
    sources = [source(folder / name, text) for name, text in files.items()]
    found = verify(list(find(sources).findings), sources, VerifyOptions())
    lines = {at for at, text in enumerate(files[marked].splitlines(), 1) if "  # " in text}
    verdicts = {each.event.place.line: each.verdict for each in found}
    assert verdicts.keys() == lines
    assert {verdict.status for verdict in verdicts.values() if verdict} == {"confirmed"}, verdicts


@pytest.mark.slow
def test_each_command_runs_with_what_it_cannot_do_without(tmp_path: Path) -> None:
    _confirmed(tmp_path, {"basin.py": SUBCOMMANDS}, "basin.py")


CLICK = """\
import click
import jax
import jax.numpy as jnp


@jax.jit
def plain(table, weight):
    return (table @ weight).sum()


@jax.jit
def clipped(table, weight):
    total = plain(table, weight)
    return total if total > 0 else -total  # BUG


def fitted(table, rounds):
    total = 0.0
    for _ in range(rounds):
        total += counted(table)
    return total


@jax.jit
def counted(table):
    if table.shape != (7, 11):
        raise ValueError("not the shape of the program")
    if table.sum() > 0:  # BUG
        return table.max()
    return table.min()


@click.group()
@click.option("--size", type=int, required=True)
@click.pass_context
def main(context, size):
    context.obj = jnp.ones((size + 5, 11))


@main.command()
@click.option("--how", type=click.Choice(["plain", "clipped"]), default="plain")
@click.pass_obj
def show(table, how):
    weight = jnp.ones(11)
    print(clipped(table, weight) if how == "clipped" else plain(table, weight))


@main.command("fit")
@click.argument("rounds", type=int)
@click.pass_obj
def fit_command(table, rounds):
    print(fitted(table, rounds))


if __name__ == "__main__":
    main()
"""


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False])
def test_commands_of_click_run_with_what_they_cannot_do_without(tmp_path: Path, guarded: bool) -> None:
    """Those of an installed command, too, whose module starts nothing by itself."""
    text = CLICK if guarded else CLICK.partition("if __name__")[0]
    _confirmed(tmp_path, {"basin.py": text}, "basin.py")


@pytest.mark.slow
def test_tests_run_with_their_fixtures_and_parameters(tmp_path: Path) -> None:
    _confirmed(tmp_path, {"filters.py": FILTERS, "test_filters.py": SUITE}, "filters.py")


BESIDE = """\
import argparse
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import jax.numpy as jnp

from package import steps


def main(argv=None):
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("plain").set_defaults(run=steps.plain)
    commands.add_parser("clipped").set_defaults(run=steps.clipped)
    args = parser.parse_args(argv)
    return args.run(jnp.ones((3, 5)))


if __name__ == "__main__":
    main(sys.argv[1:])
"""
STEPS = """\
import jax
import jax.numpy as jnp


@jax.jit
def plain(table):
    return table * 2


@jax.jit
def clipped(table):
    if jnp.max(table) > 1:
        return table / jnp.max(table)
    return table
"""


def test_a_script_that_puts_the_folder_above_on_the_path(tmp_path: Path) -> None:
    for folder in ("package", "scripts"):
        (tmp_path / folder).mkdir()
    source(tmp_path / "package" / "__init__.py", "")
    source(tmp_path / "package" / "steps.py", STEPS)
    source(tmp_path / "scripts" / "run.py", BESIDE)
    command = (sys.executable, "-m", "jitlint", "--verify", "--format=json", "--no-cache", ".")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    (found,) = json.loads(done.stdout)["findings"]
    assert found["verdict"]["status"] == "confirmed"
    assert "with the command clipped" in json.dumps(found["verdict"])
