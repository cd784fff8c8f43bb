"""Precision policies, of which one is in force; a beam search whose scores follow it, behind options."""
import argparse
import dataclasses
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp


@dataclasses.dataclass(frozen=True)
class Policy:
    name: str
    compute: Any


POLICIES = {"fp32": Policy("fp32", jnp.float32), "bf16": Policy("bf16", jnp.bfloat16)}
active = POLICIES["fp32"]


def use(name):
    global active
    active = POLICIES[name]


def cast(x):
    return x.astype(active.compute)  # BUG stale


@jax.jit
def loss(w, x):
    return jnp.square(cast(x) @ cast(w)).mean()


@partial(jax.jit, static_argnames=("steps", "dtype"))
def beam(w, steps, dtype="float32"):
    def advance(scores, row):
        return scores + jnp.sort(row).astype(jnp.float32), None

    return jax.lax.scan(advance, jnp.zeros(w.shape[1], dtype), w[:steps])[0]  # BUG carry


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--method", choices=["greedy", "beam"], default="greedy")
    parser.add_argument("--scores", choices=["float32", "bfloat16"], default="float32")
    args = parser.parse_args(words)
    w, x = jnp.eye(4) + 0.1, jnp.ones((2, 4))
    print({name: use(name) or loss(w, x) for name in POLICIES})
    if args.method == "beam":
        print(beam(w, 3, args.scores))
    else:
        print(w.argmax(1))


if __name__ == "__main__":
    main()
