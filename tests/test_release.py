"""What a release checks before it publishes anything."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from jitlint import __version__
from tools.release import ReleaseError, notes

CHANGELOG = """# Changelog

## [Unreleased]

- Later.

## [1.2.0] - 2027-01-31

### Added

- Something.

## [1.1.0] - 2026-12-24
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "jitlint").mkdir()
    (tmp_path / "jitlint" / "__init__.py").write_text('__version__ = "1.2.0"\n')
    (tmp_path / "plugins" / "vscode").mkdir(parents=True)
    (tmp_path / "plugins" / "vscode" / "package.json").write_text('{"version": "1.2.0"}')
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    return tmp_path


def test_the_notes_are_the_changelogs_section(checkout: Path) -> None:
    assert notes("v1.2.0", checkout) == "### Added\n\n- Something.\n"


@pytest.mark.parametrize(
    ("file", "old", "new", "tag", "said"),
    [
        ("CHANGELOG.md", "", "", "v1.3.0", "the tag v1.3.0 is not v1.2.0"),
        ("CHANGELOG.md", "", "", "1.2.0", "the tag 1.2.0 is not v1.2.0"),
        ("CHANGELOG.md", "## [1.2.0]", "## [1.2.1]", "v1.2.0", "CHANGELOG.md says nothing of 1.2.0"),
        ("CHANGELOG.md", "### Added\n\n- Something.\n", "", "v1.2.0", "CHANGELOG.md says nothing of 1.2.0"),
        ("plugins/vscode/package.json", "1.2.0", "1.1.0", "v1.2.0", "package.json has version 1.1.0, not 1.2.0"),
    ],
)
def test_what_does_not_fit_together_stops_the_release(
    checkout: Path, file: str, old: str, new: str, tag: str, said: str
) -> None:
    changed = checkout / file
    changed.write_text(changed.read_text().replace(old, new))
    with pytest.raises(ReleaseError, match=re.escape(said)):
        notes(tag, checkout)


def test_the_command_fails_for_a_wrong_tag(root: Path) -> None:
    command = [sys.executable, "-m", "tools.release", "notes", "v0.0.0"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert (
        done.stderr
        == f"the tag v0.0.0 is not v{__version__}, the version in jitlint/__init__.py; correct one of them\n"
    )


def test_the_workflow_publishes_what_it_has_built(root: Path) -> None:
    jobs = yaml.safe_load((root / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    built = {name for name, job in jobs.items() if job.get("needs") == "checks"}
    assert set(jobs["publish"]["needs"]) == built
    steps = [step for job in jobs.values() for step in job["steps"]]
    uploaded = {step["with"]["name"] for step in steps if str(step.get("uses")).startswith("actions/upload-artifact")}
    patterns = [step["with"]["pattern"] for step in steps if str(step.get("uses")).startswith("actions/download")]
    assert uploaded == {"notes", "wheels-${{ matrix.os }}", "wheels-sources", "extension"}
    assert patterns == ["wheels-*", "{extension,notes}"]
    assert jobs["publish"]["if"] == "github.ref_type == 'tag'", "a dry run publishes nothing"
