import jax

for i in pairs:

    @jax.jit
    def state(x, y):
        return T(state)

    T |= state
