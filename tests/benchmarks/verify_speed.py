"""How long `--verify` takes for 100 crash-class findings in one module: from a cold start, and again.

    python tests/benchmarks/verify_speed.py [--probes N] [--keep FOLDER]

The module is made of functions that fail while JAX traces them: conditions, loops, sizes, masks and conversions to the
host, in functions, helpers, methods and control-flow bodies. Each run is a process of its own, as a user starts it; the
first finds no cache, the second what the first has left. CPU seconds count all of a run's processes: they tell what a
run costs on a machine that is busy with other things.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

HEADER = """import math
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

"""

TEMPLATES = (
    """
@jax.jit
def branches_{i}(x, limit):
    if jnp.sum(x) > limit:
        return x * {i}
    return -x if limit < 0 else x
""",
    """
@jax.jit
def loop_{i}(x):
    while x < {i} + 1.0:
        x = x * 2
    return x
""",
    """
@jax.jit
def counted_{i}(x, steps):
    for step in range(steps):
        x = x + step * {i}
    return x
""",
    """
@jax.jit
def checked_{i}(params, batch):
    images, labels = batch
    hidden = jax.nn.relu(images @ params["w1"] + params["b1"])
    logits = hidden @ params["w2"] + params["b2"]
    assert jnp.all(logits > {i})
    return jnp.mean((logits - labels) ** 2)
""",
    """
def scaled_{i}(x):
    return x / float(jnp.max(x) + {i})


@jax.jit
def normalized_{i}(x):
    return scaled_{i}(x) - 1
""",
    """
@jax.jit
def positive_{i}(x):
    return x[x > {i}]
""",
    """
@jax.jit
def zeros_{i}(x, n):
    return jnp.zeros(n + {i}) + x
""",
    """
@jax.jit
def flattened_{i}(x):
    size = jnp.prod(jnp.array(x.shape))
    return x.reshape(size) * {i}
""",
    """
@jax.jit
def head_{i}(x, n):
    return x[: n + {i}]
""",
    """
@jax.jit
def logged_{i}(x):
    print(float(x.max()))
    scale = math.log(jnp.sum(x) + {i})
    return jnp.where(x > scale, x, 0)[x > 0]
""",
    """
@jax.jit
def on_host_{i}(x):
    return np.linalg.norm(x) * {i}
""",
    """
@jax.jit
def item_{i}(x):
    total = x.sum() + {i}
    return total.item()
""",
    """
class Model_{i}:
    def __init__(self, width):
        self.width = width

    @partial(jax.jit, static_argnums=0)
    def forward(self, x):
        if x.mean() > {i}:
            return x * self.width
        return x
""",
    """
@jax.jit
def either_{i}(a, b):
    return a if a > b + {i} else b
""",
    """
def body_{i}(carry, x):
    if carry > {i}:
        carry = carry - x
    return carry + x, x


def scanned_{i}(xs):
    return jax.lax.scan(body_{i}, 0.0, xs)
""",
    """
@jax.jit
def where_{i}(x):
    return jnp.nonzero(x > {i})[0]
""",
    """
TABLE_{i} = [1.0, 2.0, {i}.0]


@jax.jit
def looked_up_{i}(index):
    return TABLE_{i}[index]
""",
    """
@partial(jax.jit, static_argnames="mode")
def moded_{i}(x, scale, mode="sum"):
    if mode == "sum":
        x = x + {i}
    return x * int(scale)
""",
    """
def clipped_{i}(gradient, limit):
    norm = jnp.linalg.norm(gradient)
    return gradient * (limit / norm if norm > limit else {i}.0)


def update_{i}(weights, gradient):
    return weights - 0.1 * clipped_{i}(gradient, 1.0)


fast_update_{i} = jax.jit(update_{i})
""",
    """
@jax.jit
def largest_{i}(a, b, c):
    return max(a, b * {i}, c)
""",
)


def module(probes: int) -> str:
    """The text of a module with so many functions, each with one finding."""
    return HEADER + "\n".join(TEMPLATES[at % len(TEMPLATES)].replace("{i}", str(at + 1)) for at in range(probes))


def measure(folder: Path, *options: str) -> tuple[float, float, Counter[str]]:
    """Wall and CPU seconds of one run over a folder, and how many findings got which verdict."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began = time.perf_counter()
    command = [sys.executable, "-m", "jitlint", "--verify", "--format", "json", *options, "module.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        raise SystemExit(done.stderr)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, cpu, Counter(one["verdict"]["status"] for one in json.loads(done.stdout)["findings"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--probes", type=int, default=100)
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where the module is written and stays")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "pyproject.toml").write_text("[tool.jitlint]\n")
        (folder / "module.py").write_text(module(options.probes))
        print("run      wall s   CPU s   verdicts", flush=True)
        for name in ("cold", "again"):
            wall, cpu, verdicts = measure(folder)
            told = ", ".join(f"{count} {status}" for status, count in sorted(verdicts.items()))
            print(f"{name:<8} {wall:>6.2f}  {cpu:>6.2f}   {told}", flush=True)


if __name__ == "__main__":
    main()
