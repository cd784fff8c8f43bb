"""From the tree of Python's own parser to IR.

`ast` says where most nodes are, in lines and UTF-8 bytes (see `lowering.Walk`). What it does not say is found in the
text from a place that is known: the names of definitions, the parentheses around an operand, the clauses of
comprehensions, the items of `with`, cases, parameters' stars and f-strings (whose positions are wrong before Python
3.12, see `format_strings`).
"""
