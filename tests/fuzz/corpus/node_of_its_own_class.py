import jax
import jax.numpy as jnp

from dataclasses import dataclass


@jax.tree_util.register_dataclass
@dataclass
class Node:
    x: jax.Array
    left: 'Node'
    right: 'Node'


@jax.jit
def f(node: Node):
    return node.left.right.x if node.x > 0 else node
