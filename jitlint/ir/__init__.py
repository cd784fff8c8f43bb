"""The intermediate representation that the analyzer interprets: small, immutable, picklable, with spans.

`syntax/` makes it from text. Nodes are named tuples, told apart by their class, and each begins with its `span`:
character offsets into the file's text, without surrounding parentheses or whitespace.
Statements with several effects are split; what the analysis has no use for (whitespace, comments, `pass`, docstrings'
position) is gone. Parts of the language that cannot be represented become `Opaque`, which evaluates its children and
gives Unknown.
"""

# All names of the parts: a node is listed where it is defined, and nowhere else.
from jitlint.ir.expressions import *  # noqa: F403
from jitlint.ir.functions import *  # noqa: F403
from jitlint.ir.modules import *  # noqa: F403
from jitlint.ir.patterns import *  # noqa: F403
from jitlint.ir.statements import *  # noqa: F403
