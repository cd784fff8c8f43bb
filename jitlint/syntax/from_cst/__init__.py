"""The front end that reads with LibCST: from its concrete syntax tree to IR.

It walks the tree in source order with a cursor over the text, which gives every node its span (see `cursor`). Each
function lowers one class of nodes; a table finds it (see `lowering`).
"""
