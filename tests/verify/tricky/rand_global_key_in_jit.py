"""Small denoiser which takes its keys from a module-level stream."""
import jax
import jax.numpy as jnp

KEY = jax.random.PRNGKey(8)


def next_key():
    global KEY
    KEY, sub = jax.random.split(KEY)  # BUG leak
    return sub


def init_params(width):
    return {
        "enc": 0.3 * jax.random.normal(next_key(), (4, width)),
        "dec": 0.3 * jax.random.normal(next_key(), (width, 4)),
    }


def loss(params, clean):
    noisy = clean + 0.1 * jax.random.normal(next_key(), clean.shape)
    recon = jnp.tanh(noisy @ params["enc"]) @ params["dec"]
    return jnp.mean((recon - clean) ** 2)


@jax.jit
def sgd(params, clean):
    value, grads = jax.value_and_grad(loss)(params, clean)
    return jax.tree.map(lambda p, g: p - 0.2 * g, params, grads), value


def main():
    params = init_params(8)
    clean = jax.random.normal(next_key(), (64, 4))
    for epoch in range(5):
        params, value = sgd(params, clean)
        print("epoch", epoch, float(value))
    held_out = jax.random.normal(next_key(), (16, 4))
    print("held out", float(loss(params, held_out)))


if __name__ == "__main__":
    main()
