"""A rule's page: the text of `jitlint explain`, of the documentation and of the SARIF help."""

from __future__ import annotations

from collections.abc import Iterator

from jitlint.rules.rule import Rule, Severity

_SEVERITY = {
    Severity.ERROR: "tracing or running fails",
    Severity.WRONG: "runs, but results are stale, lost or leaked",
    Severity.SLOW: "runs, but compiles again and again",
    Severity.HINT: "off unless selected",
}


def page(rule: Rule) -> str:
    """The rule's documentation as Markdown, ending in a newline."""
    parts = [
        f"# {rule.code} {rule.name}",
        rule.summary,
        f"**Severity:** {rule.severity} ({_SEVERITY[rule.severity]})",
        f"## What it finds\n\n{rule.what}",
        f"## Why it matters\n\n{rule.why}",
        f"The error:\n\n{_fence('text', rule.error)}" if rule.error else "Nothing is raised.",
        f"## Example\n\n{_fence(rule.language, rule.example)}",
        f"## What to do\n\n{rule.remedy}\n\n{_fence(rule.language, rule.fixed_example)}",
        *_fixes(rule),
        f"## When the analyzer does not know\n\n{rule.unknown}",
        f"## How `--verify` confirms it\n\n{rule.verified_by}",
    ]
    return "\n\n".join(parts) + "\n"


def _fixes(rule: Rule) -> Iterator[str]:
    """What `--fix` can do, best first."""
    if rule.fixes:
        lines = "\n".join(f"- {remedy.text} ({remedy.grade})" for remedy in rule.fixes)
        yield f"## Fixes\n\n`--fix` can, where it is certain what to write:\n\n{lines}"


def _fence(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```"
