"""The arguments of one call."""

from __future__ import annotations

from collections.abc import Mapping

from jitlint.analysis.values.base import UNKNOWN, Value
from jitlint.source.places import Span


class Args:
    """The arguments of one call. `rest` and `open_keywords`: a star brought an unknown number more, of which `rest` is
    the join. `spans` has the place of each positional argument, `keyword_spans` of keywords by name."""

    __slots__ = ("positional", "keywords", "rest", "open_keywords", "spans", "keyword_spans")

    def __init__(
        self,
        positional: list[Value],
        keywords: dict[str, Value] | None = None,
        rest: Value | None = None,
        open_keywords: bool = False,
        spans: list[Span] | None = None,
        keyword_spans: Mapping[str, Span] | None = None,
    ) -> None:
        self.positional = positional
        self.keywords = {} if keywords is None else keywords
        self.rest = rest
        self.open_keywords = open_keywords
        self.spans = [] if spans is None else spans
        self.keyword_spans = {} if keyword_spans is None else keyword_spans

    def get(self, position: int | None, name: str) -> Value | None:
        """The argument given at a position or by a name."""
        if name in self.keywords:
            return self.keywords[name]
        if position is not None and position < len(self.positional):
            return self.positional[position]
        return self.rest

    def span(self, position: int | None, name: str, default: Span) -> Span:
        """Where that argument is written."""
        if name in self.keyword_spans:
            return self.keyword_spans[name]
        if position is not None and position < len(self.spans):
            return self.spans[position]
        return default

    @property
    def first(self) -> Value:
        """The first positional argument, or what a star brought; Unknown if there is none."""
        return self.positional[0] if self.positional else (self.rest or UNKNOWN)

    def given(self, position: int, name: str) -> Value:
        """The argument given at a position or by a name; Unknown if there is none."""
        value = self.get(position, name)
        return UNKNOWN if value is None else value

    def place(self, default: Span, position: int = 0) -> Span:
        """Where a positional argument is written."""
        return self.spans[position] if position < len(self.spans) else default

    def placed(self) -> list[tuple[Value, Span | None]]:
        """Every argument and where it is written, if it is written on its own."""
        places: list[Span | None] = [*self.spans, *[None] * (len(self.positional) - len(self.spans))]
        found = list(zip(self.positional, places, strict=False))
        found += [(value, self.keyword_spans.get(name)) for name, value in self.keywords.items()]
        return [*found, (self.rest, None)] if self.rest is not None else found

    def all(self) -> list[Value]:
        """Every argument."""
        return [*self.positional, *self.keywords.values(), *([self.rest] if self.rest is not None else [])]
