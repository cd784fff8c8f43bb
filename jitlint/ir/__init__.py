"""The intermediate representation that the analyzer interprets: small, immutable, picklable, with spans.

`jitlint/syntax` makes it from text. A node is a named tuple; its class says what it is, and its first field is its
`span`: character offsets into the file's text, without surrounding parentheses or whitespace.
Statements with several effects are split, and what the analysis does not need (comments, `pass`, docstrings) is gone.
Code that cannot be represented becomes `Opaque`, which evaluates its children and gives Unknown.
"""

# All nodes can be imported from here; a new one has to be added to its own file only.
from jitlint.ir.expressions import *  # noqa: F403
from jitlint.ir.functions import *  # noqa: F403
from jitlint.ir.modules import *  # noqa: F403
from jitlint.ir.patterns import *  # noqa: F403
from jitlint.ir.statements import *  # noqa: F403
