"""The arguments of one call, as the caller gives them; `language.functions.bind_arguments` gives them to parameters."""

from __future__ import annotations

from collections.abc import Mapping

from jitlint.analysis.values.base import UNKNOWN, Value
from jitlint.source.places import Span


class Args:
    """The arguments of one call, with the places where they are written."""

    __slots__ = ("positional", "keywords", "rest", "rest_span", "more", "maybe", "spans", "keyword_spans")

    def __init__(
        self,
        positional: list[Value],
        keywords: dict[str, Value] | None = None,
        rest: Value | None = None,
        more: Value | None = None,
        spans: list[Span] | None = None,
        keyword_spans: Mapping[str, Span] | None = None,
        maybe: Mapping[str, Value] | None = None,
    ) -> None:
        self.positional = positional
        """The positional arguments; `*args` of known length is spread out among them."""
        self.keywords = {} if keywords is None else keywords
        """The keyword arguments by name."""
        self.rest = rest
        """The join of the elements of a `*args` whose length is not known; None if there is no such star."""
        self.rest_span: Span | None = None
        """Where that star is written, if that is known."""
        self.more = more
        """The join of what a `**kwargs` of unknown content may give for further keywords; None if there is none."""
        self.maybe = maybe
        """These further keywords by name, where they are known, each with what it gives if it is given; else None."""
        self.spans = [] if spans is None else spans
        """Where each positional argument is written; may be shorter than `positional` (the last places are unknown)."""
        self.keyword_spans = {} if keyword_spans is None else keyword_spans
        """Where each keyword argument is written, by name, as far as known."""

    def get(self, position: int | None, name: str) -> Value | None:
        """The argument at `position` or called `name`; if neither is given, what a star may give, or None.

        A negative position counts from the end, as in `argnums=-1`.
        """
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and -len(self.positional) <= position < len(self.positional):
            return self.positional[position]
        return self.rest

    def span(self, position: int | None, name: str, default: Span) -> Span:
        """Where the argument at `position` or called `name` is written; `default` if that is not known."""
        if name in self.keyword_spans:
            return self.keyword_spans[name]
        if position is not None and -len(self.spans) <= position < len(self.spans):
            return self.spans[position]
        return default

    @property
    def open_keywords(self) -> bool:
        """Whether a `**kwargs` of unknown content may give further keywords."""
        return self.more is not None

    def further(self, name: str) -> Value | None:
        """What a `**kwargs` of unknown content gives for a keyword, if it gives it; None if it does not give it."""
        return self.more if self.maybe is None else self.maybe.get(name)

    @property
    def first(self) -> Value:
        """The first positional argument; if there is none, what a star may give, or Unknown."""
        return self.positional[0] if self.positional else (self.rest or UNKNOWN)

    def given(self, position: int, name: str) -> Value:
        """As `get`, but Unknown instead of None."""
        value = self.get(position, name)
        return UNKNOWN if value is None else value

    def place(self, default: Span, position: int = 0) -> Span:
        """Where the positional argument at `position` is written; `default` if that is not known."""
        return self.spans[position] if position < len(self.spans) else default

    def replaced(self, key: int | str, value: Value) -> Args:
        """The same arguments, with another one at a position or of a name."""
        positional = [value if i == key else each for i, each in enumerate(self.positional)]
        keywords = {name: value if name == key else each for name, each in self.keywords.items()}
        return Args(positional, keywords, self.rest, self.more, self.spans, self.keyword_spans)

    def placed(self) -> list[tuple[Value, Span | None]]:
        """Every argument with its place, None if that is not known."""
        spans: list[Span | None] = [*self.spans, *[None] * (len(self.positional) - len(self.spans))]
        arguments = list(zip(self.positional, spans, strict=False))
        arguments += [(value, self.keyword_spans.get(name)) for name, value in self.keywords.items()]
        return [*arguments, (self.rest, None)] if self.rest is not None else arguments

    def all(self) -> list[Value]:
        """Every argument, and what a star may give."""
        return [*self.positional, *self.keywords.values(), *([self.rest] if self.rest is not None else [])]
