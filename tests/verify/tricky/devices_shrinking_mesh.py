"""Batch statistics over a mesh which loses devices between rounds."""
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec as P

CLUSTER = {"workers": 4, "mesh": None}


def reshape_cluster(n, first=0):
    CLUSTER["workers"] = n
    CLUSTER["mesh"] = jax.make_mesh(
        (n,), ("w",), axis_types=(AxisType.Auto,), devices=jax.devices()[first : first + n]
    )


@jax.jit
def per_worker_mean(x):
    blocks = x.reshape(CLUSTER["workers"], -1)  # OK stale
    return blocks.mean(axis=1)


@jax.jit
def learning_rate(loss):
    return 0.1 * CLUSTER["workers"] / (1.0 + loss)  # BUG stale


def main():
    rng = np.random.default_rng(0)
    data = rng.normal(size=16).astype(np.float32)
    for n in (4, 2, 1):
        reshape_cluster(n)
        rows = NamedSharding(CLUSTER["mesh"], P("w"))
        means = np.asarray(per_worker_mean(jax.device_put(data, rows)))
        lr = float(learning_rate(np.float32(means.std())))
        print(n, "workers: means", means.round(3), "lr", round(lr, 5))


if __name__ == "__main__":
    main()
