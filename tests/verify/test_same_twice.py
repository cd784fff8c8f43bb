"""Two runs say the same: with more workers, in other processes, and from the cache."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from jitlint import pipeline
from jitlint.findings.finding import Finding
from jitlint.verify.api import verify
from jitlint.verify.options import VerifyOptions

HIDDEN = """import jax
import jax.numpy as jnp
{top}

@jax.jit
def hidden(x, limit):
    if jnp.sum(x) > limit:
        return x
    return -x if limit < 0 else x[x > 0]

"""


def told(findings: tuple[Finding, ...]) -> list[tuple[Any, ...]]:
    """All that a report says of verdicts, but for the seconds that something took."""

    def timeless(value: Any) -> Any:
        return {k: timeless(v) for k, v in value.items() if k != "seconds"} if isinstance(value, dict) else value

    return [
        (one.code, one.event.place.line, v.status, v.reason, v.inputs, timeless(dict(v.evidence)))
        for one in findings
        for v in one.verdicts
    ]


@pytest.mark.slow
def test_runs_agree(root: Path, tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text((root / "fixtures/demo/train.py").read_text())
    (tmp_path / "hidden.py").write_text(HIDDEN.format(top=""))
    (tmp_path / "started.py").write_text(HIDDEN.format(top="LIMIT = jnp.ones(3) * 2"))  # has a backend once imported
    sources = pipeline.read([str(tmp_path)]).files
    found = pipeline.find(sources).findings
    options = VerifyOptions(jobs=1, probe_timeout=30.0, module_timeout=240.0)
    alone = told(verify(found, sources, options))
    statuses = Counter(status for _, _, status, *_ in alone)
    assert statuses["confirmed"] == len(alone) - 1 and statuses["refuted"] == 1, alone
    assert told(verify(found, sources, replace(options, jobs=3))) == alone
    cached = replace(options, jobs=2, cache=tmp_path / ".jitlint_cache")
    assert told(verify(found, sources, cached)) == alone
    assert told(verify(found, sources, replace(cached, jobs=1))) == alone
