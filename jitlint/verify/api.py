"""Verifying: findings in, the same findings with verdicts out."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from queue import Empty, SimpleQueue
from typing import TypeVar

from jitlint.findings.finding import Finding, Verdict
from jitlint.source.text import SourceFile
from jitlint.verify import plan, verdicts
from jitlint.verify.options import VerifyOptions
from jitlint.verify.plan import Job
from jitlint.verify.pool import JobEnd, Worker, WorkerUnusableError
from jitlint.verify.verdicts import Reason

Progress = Callable[[str, int, int], None]
Outcome = TypeVar("Outcome")


def verify(
    findings: Sequence[Finding],
    sources: Sequence[SourceFile],
    options: VerifyOptions,
    progress: Progress | None = None,
) -> tuple[Finding, ...]:
    """Runs real JAX on each finding's code, in worker processes.

    Args:
        findings: what the analyzer found in `sources`.
        sources: the files of the project.
        options: limits, interpreter and devices.
        progress: told the module that was finished, how many findings have verdicts, and how many there are.

    Returns:
        The findings in their order, each with a verdict per device. Nothing that user code does raises here.
    """
    jobs, left_out = plan.jobs(findings, sources)
    found: dict[int, Verdict] = {}
    for index in left_out:
        found[index] = verdicts.not_run("only modules in .py files are run")

    def take(job: Job, results: dict[int, Verdict]) -> None:
        found.update(results)
        if progress is not None:
            progress(job.module, len(found), len(findings))

    run_jobs(jobs, lambda job, worker: verify_module(job, findings, worker, options), take, options)
    return tuple(
        replace(finding, verdicts=tuple(verdicts.on_device(found[index], device.name) for device in options.devices))
        for index, finding in enumerate(findings)
    )


def run_jobs(
    jobs: Sequence[Job], do: Callable[[Job, Worker], Outcome], take: Callable[[Job, Outcome], None],
    options: VerifyOptions,
) -> None:  # fmt: skip
    """Runs jobs in as many worker processes as the options say.

    Args:
        jobs: what to run.
        do: runs one of them in a worker.
        take: takes what `do` gave, one at a time.
        options: limits and interpreter.
    """
    count = max(1, min(options.jobs or (os.cpu_count() or 2) // 2, len(jobs)))
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    lock = threading.Lock()
    stop = threading.Event()
    workers: list[Worker] = []

    def work() -> None:
        with Worker(options) as worker:
            workers.append(worker)
            while not stop.is_set():
                try:
                    job = waiting.get_nowait()
                except Empty:
                    return
                outcome = do(job, worker)
                with lock:
                    take(job, outcome)

    if jobs:
        _in_threads(work, count, stop, workers)


def _in_threads(work: Callable[[], None], count: int, stop: threading.Event, workers: list[Worker]) -> None:
    """Runs `work` in threads to the end; an interruption ends the workers at once."""
    with ThreadPoolExecutor(count) as threads:
        futures: list[Future[None]] = [threads.submit(work) for _ in range(count)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                future.result()
        except BaseException:
            stop.set()
            for worker in workers:
                worker.abort()
            raise


def verify_module(job: Job, findings: Sequence[Finding], worker: Worker, options: VerifyOptions) -> dict[int, Verdict]:
    """The verdicts on one module's findings, by index. A probe that kills its process costs only itself."""
    deadline = time.monotonic() + options.module_seconds
    open_probes = {probe["id"] for probe in job.probes}
    found: dict[int, Verdict] = {}

    def settle(end: JobEnd, reason: Reason, probes: set[int]) -> None:
        status = -end.status if reason is Reason.CRASHED else end.status
        evidence = {"status": status} if reason in (Reason.CRASHED, Reason.EXITED) else {}
        if reason is Reason.BROKEN:
            evidence = {"message": end.message}  # type: ignore[dict-item]
        for probe in probes:
            found[probe] = verdicts.inconclusive(reason, worker.jax, **evidence)

    while open_probes:
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            settle(JobEnd(), Reason.MODULE_TIME, open_probes)
            break
        try:
            end = worker.run(job.only(open_probes), remaining)
        except WorkerUnusableError as error:
            for probe in open_probes:
                found[probe] = verdicts.inconclusive(Reason.UNUSABLE, message=str(error))
            break
        for probe in open_probes & end.observations.keys():
            found[probe] = verdicts.judge(end.observations[probe], worker.jax)
        open_probes -= end.observations.keys()
        reason = Reason(end.cut_by) if end.cut_by else Reason.EXITED
        if not end.loaded and not job.definitions_only:
            job = job.only(open_probes, definitions_only=True)
        elif not end.loaded or reason in (Reason.MODULE_TIME, Reason.BROKEN):
            settle(end, reason, open_probes)
            break
        elif end.compiling and end.probe in end.observations:
            found[end.probe] = verdicts.cut_while_compiling(found[end.probe], reason)
        elif end.probe is not None and end.probe in open_probes:
            settle(end, reason, {end.probe})
            open_probes -= {end.probe}
        elif open_probes:
            settle(end, reason, open_probes)
            break
    _force(job, findings, worker, options, found, deadline)
    return found


def _force(
    job: Job, findings: Sequence[Finding], worker: Worker, options: VerifyOptions, found: dict[int, Verdict],
    deadline: float,
) -> None:  # fmt: skip
    """Looks past the failures that hid others, in a process that is thrown away."""
    hidden = {i for i, verdict in found.items() if verdict.evidence.get("reason") == Reason.OTHER_FAILURE}
    remaining = deadline - time.monotonic()
    if not hidden or remaining <= 0:
        return
    try:
        end = worker.run(job.only(hidden, forced=True), remaining)
    except WorkerUnusableError:
        return
    for probe in hidden & end.observations.keys():
        seen = end.observations[probe]
        if seen.outcome == "confirmed":
            found[probe] = verdicts.judge(seen, worker.jax)
