"""A leak says who reads, after tracing, the attribute that keeps the tracer: there JAX raises."""

from __future__ import annotations

from pathlib import Path

from jitlint.pipeline import find
from tests.analysis.programs import write

PROGRAM = """\
import jax
import jax.numpy as jnp


class Probe:
    def __init__(self):
        self.values, self.last, self.names = [], None, ["a"]

    def on_step(self, x):
        self.values.append(x.sum())
        self.last = x

    def summary(self):
        if not self.values:
            return {}
        return {"names": self.names, "mean": jnp.stack(self.values).mean(), "last": self.last}


def run(x, probe):
    def step(x):
        probe.on_step(x)
        return len(probe.values) * x

    return jax.jit(step)(x)


def main():
    probe = Probe()
    run(jnp.ones(3), probe)
    return probe.summary()
"""


def test_the_places_that_read_what_has_leaked_are_told(tmp_path: Path) -> None:
    leaks = [each for each in find(write(tmp_path, PROGRAM)).findings if each.code == "JIT503"]
    reads = {
        each.event.place.line: [step.place.line for step in each.event.flow if step.note == "read here, after tracing"]
        for each in leaks
    }
    assert reads == {10: [14, 16], 11: [16]}


def test_a_list_in_a_dict_is_read_where_its_variable_is(tmp_path: Path) -> None:
    text = """\
import collections
import jax
import jax.numpy as jnp


class Sink:
    def __init__(self):
        self.values = collections.defaultdict(list)

    def put(self, name, value):
        self.values[name].append(value)

    def flush(self):
        found = {}
        for name, values in self.values.items():
            found[name] = float(jnp.mean(jnp.stack(values)))
        return found


def main():
    sink = Sink()

    @jax.jit
    def step(x):
        sink.put("most", x.max())
        return 2 * x

    step(jnp.ones(3))
    return sink.flush()


main()
"""
    leaks = [each for each in find(write(tmp_path, text)).findings if each.code == "JIT503"]
    assert [each.event.place.line for each in leaks] == [11]
    assert [step.place.line for step in leaks[0].event.flow if step.note == "read here, after tracing"] == [16]


def test_what_no_code_reads_has_no_such_place(tmp_path: Path) -> None:
    text = PROGRAM.replace("    return probe.summary()\n", "    return probe.names\n").replace("def summary", "def _s")
    leaks = [each for each in find(write(tmp_path, text)).findings if each.code == "JIT503"]
    assert [each.event.place.line for each in leaks] == [10, 11]
    assert not [step for each in leaks for step in each.event.flow if "after tracing" in step.note]
