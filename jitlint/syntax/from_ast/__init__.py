"""The front end that reads with Python's own parser: from `ast` to IR.

`ast` says where most nodes are, in lines and UTF-8 bytes (see `lines`). Other places are found in the text, starting
from one that is known: the names of definitions, the parentheses around an operand, the clauses of comprehensions, the
items of `with`, cases, parameters' stars and the parts of f-strings (whose positions are wrong before Python 3.12, see
`format_strings`).
"""
