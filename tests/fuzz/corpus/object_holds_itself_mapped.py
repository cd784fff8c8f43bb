from dataclasses import dataclass
from typing import Any

import jax
from jax import tree


@jax.tree_util.register_dataclass
@dataclass
class Run:
    x: Any = 1.0

    def run(self):
        self.up = self
        b = tree.map(lambda x: self, self)


Run().run()
