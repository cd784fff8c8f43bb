"""The result in Markdown, for the comment or the summary of a pull request."""

from __future__ import annotations

import re
from collections import Counter

from jitlint.findings.finding import STATUSES, Finding, Result
from jitlint.report.places import shown

_MOST = 60_000
"""Characters: a comment on GitHub holds 65,536."""

_SPECIAL = re.compile(r"([\\|<>*_\[\]`])")
_CODE = re.compile(r"`[^`]*`")


def render(result: Result) -> str:
    """The report as text; findings that do not fit are only counted."""
    head = [f"### jitlint: {_counts(result)}", ""]
    tail = [f"- {_plain(f'{error.path}: {error.text}')}" for error in result.errors]
    tail += [f"- {_plain(note)}." for note in result.notes]
    if not result.findings:
        return "\n".join([*head, *tail]).rstrip() + "\n"
    rows = ["| | place | finding | verdict |", "|---|---|---|---|"]
    used = sum(map(len, (*head, *rows, *tail)))
    for number, finding in enumerate(result.findings):
        row = _row(finding)
        used += len(row) + 1
        if used > _MOST:
            rows += ["", f"… and {len(result.findings) - number} more."]
            break
        rows.append(row)
    return "\n".join([*head, *rows, *([""] if tail else []), *tail]) + "\n"


def _counts(result: Result) -> str:
    count = len(result.findings)
    files = f"{result.files} file{'' if result.files == 1 else 's'}"
    if not count:
        return f"no findings in {files}"
    verdicts = Counter(finding.verdict.status for finding in result.findings if finding.verdict)
    by_verdict = ", ".join(f"{verdicts[status]} {status}" for status in STATUSES if verdicts[status])
    return f"{count} finding{'' if count == 1 else 's'} in {files}" + (f" ({by_verdict})" if by_verdict else "")


def _row(finding: Finding) -> str:
    verdict = finding.verdict
    verdict_text = f"**{verdict.status}**: {_plain(verdict.reason)}" if verdict else ""
    source = finding.event.flow[0] if finding.event.flow else None
    since = f"<br>from {_code(shown(source.place))}: {_plain(source.note)}" if source else ""
    return (
        f"| {finding.code} | {_code(shown(finding.event.place))} | {_plain(finding.message)}{since} | {verdict_text} |"
    )


def _code(text: str) -> str:
    """Text as code in one cell of a table; a backquote would end it."""
    return "`" + text.replace("`", "'").replace("|", r"\|") + "`"


def _plain(text: str) -> str:
    """Escapes text for one cell of a table; code in backquotes stays code."""
    text = " ".join(text.split())
    parts, end = [], 0
    for code in _CODE.finditer(text):
        parts += [_SPECIAL.sub(r"\\\1", text[end : code.start()]), code[0].replace("|", r"\|")]
        end = code.end()
    return "".join([*parts, _SPECIAL.sub(r"\\\1", text[end:])])
