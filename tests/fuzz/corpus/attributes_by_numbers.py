from dataclasses import dataclass

import jax


@jax.tree_util.register_dataclass
@dataclass
class Data:
    x: float = 1.0


data = Data()
data.__dict__ = {0: data, "x": data}
jax.jit(lambda d: d)(data)
