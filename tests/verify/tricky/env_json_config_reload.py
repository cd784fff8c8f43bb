"""Curriculum training: stages are described in a JSON file which is re-read."""
import json
import tempfile
from pathlib import Path

import jax
import jax.numpy as jnp

CONFIG = Path(tempfile.gettempdir()) / "curriculum_stage_demo.json"


def current():
    return json.loads(CONFIG.read_text())


def soft_targets(logits):
    temperature = current()["temperature"]  # OK stale
    return jax.nn.softmax(logits / temperature)


@jax.jit
def distill_step(w, x, teacher_logits):
    def loss(w):
        logp = jax.nn.log_softmax(x @ w)
        return -jnp.mean(jnp.sum(soft_targets(teacher_logits) * logp, axis=-1))

    value, grad = jax.value_and_grad(loss)(w)
    return w - 0.5 * grad, value


@jax.jit
def agreement(w, teacher, probes):
    temperature = current()["temperature"]  # BUG stale
    student, target = jax.nn.softmax(probes @ w), jax.nn.softmax(probes @ teacher / temperature)
    return jnp.mean(jnp.abs(student - target))


def run_stage(key, w, teacher):
    batch = current()["batch"]
    value = None
    for k in jax.random.split(key, 5):
        x = jax.random.normal(k, (batch, 3))
        w, value = distill_step(w, x, x @ teacher)
    return w, float(value)


def main():
    keys = jax.random.split(jax.random.key(0), 4)
    teacher = jax.random.normal(keys[0], (3, 4))
    w = jnp.zeros((3, 4))
    stages = [(8, 4.0), (16, 2.0), (32, 1.0)]
    for key, (batch, temperature) in zip(keys[1:], stages):
        CONFIG.write_text(json.dumps({"batch": batch, "temperature": temperature}))
        w, value = run_stage(key, w, teacher)
        gap = agreement(w, teacher, jnp.eye(3))
        print(f"batch {batch:3d} T {temperature:.1f} loss {value:.4f} gap {gap:.4f}")
    CONFIG.unlink()


if __name__ == "__main__":
    main()
