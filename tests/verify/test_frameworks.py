"""Modules, models and states of libraries are made and run as these libraries would."""

from __future__ import annotations

from pathlib import Path

import pytest
from making import finding, source

from jitlint.events.event import EventKind as Kind
from jitlint.findings.finding import Verdict
from jitlint.pipeline import find
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

FLAX = """import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from flax import nnx
from flax.training.train_state import TrainState


class Gate(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, train: bool):
        h = nn.BatchNorm(use_running_average=not train)(nn.Dense(self.width)(x))
        return h if h.mean() > 0 else nn.Dropout(0.5, deterministic=not train)(h)


@jax.jit
def forward(variables, x):
    y = nn.Dense(3).apply(variables, x)
    return y if y.sum() > 1 else -y


@jax.jit
def train(state: TrainState, batch):
    logits = state.apply_fn({"params": state.params}, batch["x"])
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
    return state if loss > 2 else state.replace(step=0)


optimizer = optax.adam(1e-3)


@jax.jit
def step(params, opt_state, x):
    grads = jax.grad(lambda p: (x @ p).sum())(params)
    updates, opt_state = optimizer.update(grads, opt_state, params)
    params = optax.apply_updates(params, updates)
    return params if params.sum() > 3 else -params


class Net(nnx.Module):
    def __init__(self, width: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(width, 2, rngs=rngs)


@nnx.jit
def predict(net: Net, x):
    y = net.linear(x)
    return y if y.sum() > 4 else -y
"""

OTHERS = """import equinox as eqx
import haiku as hk
import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist


class Cell(eqx.Module):
    layer: eqx.nn.Linear

    def __call__(self, x):
        y = self.layer(x)
        return y if y.sum() > 5 else -y


@eqx.filter_jit
def cell(model: Cell, x):
    return model(x)


class Scale(hk.Module):
    def __call__(self, x):
        w = hk.get_parameter("w", x.shape[-1:], init=jnp.ones)
        return x * w if w.max() > 6 else x


net = hk.without_apply_rng(hk.transform(lambda x: Scale()(x)))


@jax.jit
def loss(params, x):
    y = net.apply(params, x)
    return y if y.sum() > 7 else -y


def averaged(x):
    total = jax.lax.pmean(x.sum(), "devices")
    return x if total > 9 else -x


@hk.transform
def recurrent(xs):
    y = hk.Linear(3)(xs)
    return y if y.max() > 10 else -y


def model(x):
    if x > 11:
        x = -x
    slope = numpyro.sample("slope", dist.Normal(0.0, 1.0))
    numpyro.sample("y", dist.Normal(slope if slope > 8 else -slope, 1.0), obs=x)
"""

CASES = {
    "h.mean() > 0": (FLAX, "Gate.__call__"),
    "y.sum() > 1": (FLAX, "forward"),
    "loss > 2": (FLAX, "train"),
    "params.sum() > 3": (FLAX, "step"),
    "y.sum() > 4": (FLAX, "predict"),
    "y.sum() > 5": (OTHERS, "Cell.__call__"),
    "w.max() > 6": (OTHERS, "Scale.__call__"),
    "y.sum() > 7": (OTHERS, "loss"),
    "slope > 8": (OTHERS, "model"),
    "x > 11": (OTHERS, "model"),
    "total > 9": (OTHERS, "averaged"),
    "y.max() > 10": (OTHERS, "recurrent"),
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Verdict]:
    """The verdicts of all cases, by the text at their places."""
    folder = tmp_path_factory.mktemp("frameworks")
    files = {text: source(folder / name, text) for name, text in (("trained.py", FLAX), ("others.py", OTHERS))}
    found = [
        finding(files[text], Kind.BOOL, "ternary", at, symbol=symbol, root=symbol)
        for at, (text, symbol) in CASES.items()
    ]
    seen = verify(found, list(files.values()), VerifyOptions(probe_timeout=30, module_timeout=240))
    return {at: one.verdict for at, one in zip(CASES, seen, strict=True) if one.verdict}


@pytest.mark.slow
def test_arguments_of_a_model_are_not_traced(verdicts: dict[str, Verdict]) -> None:
    assert verdicts["x > 11"].status != "confirmed", verdicts["x > 11"]


@pytest.mark.slow
@pytest.mark.parametrize("at", [at for at in CASES if at != "x > 11"])
def test_it_is_traced(verdicts: dict[str, Verdict], at: str) -> None:
    assert verdicts[at].status == "confirmed", verdicts[at]
    assert verdicts[at].evidence["exception"] == "TracerBoolConversionError"


def test_modules_that_nothing_calls_are_called_under_jit(tmp_path: Path) -> None:
    text = (
        "import equinox as eqx\nimport jax.numpy as jnp\nfrom flax import nnx\n\n"
        "class Scaled(eqx.Module):\n    layer: eqx.nn.Linear\n\n    def __call__(self, x):\n"
        "        y = self.layer(x)\n        return y if jnp.max(y) > 1 else -y\n\n"
        "class Block(nnx.Module):\n    def __init__(self, width: int, *, rngs: nnx.Rngs):\n"
        "        self.linear = nnx.Linear(width, width, rngs=rngs)\n\n    def __call__(self, x):\n"
        "        y = self.linear(x)\n        return y if jnp.max(y) > 2 else -y\n"
    )
    file = source(tmp_path / "modules.py", text)
    found = verify(list(find([file]).findings), [file], VerifyOptions())
    assert [each.verdict and each.verdict.status for each in found] == ["confirmed", "confirmed"], found
