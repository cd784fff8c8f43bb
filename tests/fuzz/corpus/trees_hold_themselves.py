import dataclasses

import jax


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Node:
    x: float = 1.0
    right: object = None


def run(node):
    node.left, node.right = node, [node]
    tree = {None: node}
    jax.tree.map(lambda a, b: a, tree, tree)
    jax.lax.cond(True, lambda: tree, lambda: {None: node})
    return jax.lax.fori_loop(0, 3, lambda i, t: tree, {None: node})


run(Node())
jax.jit(run)(Node())
