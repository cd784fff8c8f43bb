"""From LibCST's concrete syntax tree to IR.

The pass walks LibCST's tree in source order with a cursor over the text, so that every node learns its span without
metadata providers or generated code (see `cursor`). Functions that lower one class of node each are grouped by the part
of the grammar and found through a dispatch table (see `lowering`).
"""
