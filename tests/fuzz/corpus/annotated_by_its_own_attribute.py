from __future__ import annotations

import jax, equinox as eqx
class Node(eqx.Module):
    left: Node.right[int]
    right: "Node.left"
    up: jax.Array
@jax.jit
def f(node: Node):
    return node.up
