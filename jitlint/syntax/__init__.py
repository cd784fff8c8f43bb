"""LibCST in, IR out: one parse and one lowering pass per file.

LibCST's native parser fills plain records instead of LibCST's own nodes (see `cst`). The pass walks them in source
order with a cursor over the text, so that every node learns its span without metadata providers or generated code (see
`cursor`). Functions that lower one class of node each are grouped by the part of the grammar and found through a
dispatch table (see `lowering`).
"""

from jitlint.syntax.module import lower
from jitlint.syntax.parsing import SyntaxProblem, parse

__all__ = ["SyntaxProblem", "lower", "parse"]
