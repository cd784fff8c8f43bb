"""What the linter asks for comes back from the wire as it was."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest

from jitlint.verify.worker import wire
from jitlint.verify.worker.messages import (
    CallProgram,
    DeviceRequest,
    DriverRequest,
    EntryRequest,
    Extent,
    JobRequest,
    ModuleRequest,
    ProbeRequest,
    RootRequest,
    SurveyRequest,
)
from jitlint.verify.worker.user_code.probes import probe_of

PLACE = Extent("/p/model.py", 5, 8, 5, 13)
PROBE = ProbeRequest(
    3,
    "bool",
    "if",
    PLACE,
    "model.step",
    EntryRequest(Extent("/p/model.py", 3, 2, 3, 9), "jax.jit", "model:step"),
    RootRequest("model", "step", ("(1.0)",), (4, 5)),
    Extent("/p/model.py", 4, 10, 4, 11),
    ("`x` is an array",),
    {"parameter": "x"},
)
JOB = JobRequest(
    module="model",
    file="/p/model.py",
    others=(ModuleRequest("net", "/p/net.py"),),
    paths=("/p",),
    probes=(PROBE, replace(PROBE, id=4, entry=None, root=RootRequest(), source=None, detail={})),
    sources={"/p/model.py": "import jax\n\n@jax.jit\ndef step(x):\n    if é > 0:\n        return x\n"},
    calls=(CallProgram("step", "(1)", "_function = 1", ("x",)), CallProgram("step", "(2)", "", None)),
    programs=(ModuleRequest("train", "/p/train.py"),),
    definitions_only=False,
    full_import=True,
    survey=SurveyRequest(100, ("/p/model.py",)),
    scratch="/tmp/x",
    sandbox=True,
    probe_seconds=10.0,
    compile_seconds=30.0,
    drivers=(DriverRequest("tests/test_a.py::test_a", "/p"),),
    inputs=({"origin": "declared", "arguments": {"x": {"value": 1}}},),
    devices=(DeviceRequest("cpu", "cpu", mesh=(("x", 2), ("y", 4)), run=True), DeviceRequest("tpu:v5e", "tpu", 16)),
)


@pytest.mark.parametrize("job", [JOB, replace(JOB, survey=None, calls=(), drivers=(), inputs=())])
def test_a_job_comes_back_as_it_was(job: JobRequest) -> None:
    reader, writer = os.pipe()
    wire.write(writer, job.message())
    os.close(writer)
    message = wire.read(reader)
    os.close(reader)
    assert message is not None and message["type"] == "job"
    assert JobRequest.read(message) == job
    assert json.loads(json.dumps(message)) == message


def test_a_probe_counts_columns_in_bytes() -> None:
    probe = probe_of(PROBE, JOB.sources)
    site = probe.site
    assert (site.line, site.column, site.end_column) == (5, 7, 13)
    assert (probe.entry_transform, probe.entry_function, probe.root_qualname) == ("jax.jit", "model:step", "step")
    assert probe.expression is not None
    assert probe_of(JOB.probes[1], JOB.sources).entry_site is None
    assert (probe.source, probe_of(JOB.probes[1], JOB.sources).source) == (("step", "x"), None)
