"""A rule's page."""

from __future__ import annotations

import textwrap

from jitlint.rules.rule import Rule


def page(rule: Rule) -> str:
    """What `jitlint explain CODE` prints: all that the rule's own file says about it, as Markdown."""
    sections = (
        ("What it finds", _prose(rule.what)),
        ("Why it matters", _prose(rule.why)),
        ("What you would see", _code(rule.error)),
        ("Example", _code(rule.example)),
        ("Remedy", _prose(rule.remedy)),
        ("Corrected", _code(rule.fixed_example)),
        ("When the analyzer does not know", _prose(rule.unknown)),
        ("How --verify confirms it", _prose(rule.verified_by)),
    )
    head = f"# {rule.code} {rule.name} ({rule.severity})\n"
    return head + "".join(f"\n## {title}\n\n{body}\n" for title, body in sections if body.strip())


def _prose(text: str) -> str:
    paragraphs = textwrap.dedent(text).strip().split("\n\n")
    return "\n\n".join(textwrap.fill(paragraph, 100, break_long_words=False) for paragraph in paragraphs)


def _code(text: str) -> str:
    return textwrap.indent(textwrap.dedent(text).strip("\n").rstrip(), "    ")
