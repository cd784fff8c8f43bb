"""The options that a client can set, in `initializationOptions` or in its section `jitlint`."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, fields, replace


@dataclass(frozen=True, slots=True)
class Options:
    """The options.

    Attributes:
        inlayHints: whether traced parameters and results are marked in the text.
        codeLens: whether functions with findings have a line above them that verifies them.
        semanticTokens: whether names are coloured by their stage.
    """

    inlayHints: bool = True  # noqa: N815  as clients write it
    codeLens: bool = True  # noqa: N815
    semanticTokens: bool = True  # noqa: N815

    def changed(self, given: object) -> tuple[Options, list[str]]:
        """The options with those that a client gives, and a message for each that is wrong."""
        known = {each.name: each.type for each in fields(Options)}
        if given is None:
            return self, []
        if not isinstance(given, dict):
            return self, ["the options must be an object such as {'inlayHints': false}"]
        options, problems = self, []
        for name, value in given.items():
            if name not in known:
                close = difflib.get_close_matches(str(name), list(known), n=1)
                nearest = f"did you mean `{close[0]}`?" if close else f"the options are {', '.join(known)}"
                problems.append(f"there is no option `{name}`; {nearest}")
            elif not isinstance(value, bool):
                problems.append(f"the option `{name}` must be true or false")
            else:
                options = replace(options, **{name: value})
        return options, problems
