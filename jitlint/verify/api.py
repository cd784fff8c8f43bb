"""Verifies findings: they come back with verdicts."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from dataclasses import replace
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue

from jitlint.findings.finding import Finding, Verdict
from jitlint.findings.placed import ProgramLines
from jitlint.source.text import SourceFile
from jitlint.verify import plan, verdicts
from jitlint.verify.cache import Cache
from jitlint.verify.observing import Seen
from jitlint.verify.options import VerifyOptions
from jitlint.verify.plan import Job
from jitlint.verify.pool import Worker

Progress = Callable[[str, int, int], None]
Note = Callable[[str], object]


def verify(
    findings: Sequence[Finding],
    sources: Sequence[SourceFile],
    options: VerifyOptions,
    progress: Progress | None = None,
    note: Note = lambda text: None,
) -> tuple[Finding, ...]:
    """Runs real JAX on each finding's code, in worker processes.

    Args:
        findings: what the analyzer found in `sources`.
        sources: the files of the project.
        options: limits, interpreter and devices.
        progress: called with the module that runs, how many findings are done, and how many there are.
        note: called with remarks on the run as a whole.

    Returns:
        The findings in their order, each with a verdict per device. User code cannot make this raise. An interruption
        (Ctrl-C) ends the run early; findings that were not verified by then have a verdict that says so.
    """
    found: dict[int, Verdict] = {}
    lines = ProgramLines.of(sources)
    run_jobs(plan.jobs(findings, sources), lambda seen: found.update(_verdicts(seen, lines)), options, progress, note)
    missing = verdicts.interrupted()
    return tuple(
        replace(
            finding,
            verdicts=tuple(verdicts.on_device(found.get(index, missing), device.name) for device in options.devices),
        )
        for index, finding in enumerate(findings)
    )


def _verdicts(seen: Seen, lines: ProgramLines) -> dict[int, Verdict]:
    unseen = {
        at: verdicts.inconclusive(reason, seen.jax, **verdicts.written(evidence, lines))
        for at, (reason, evidence) in seen.unseen.items()
    }
    return unseen | {at: verdicts.judge(one, seen.jax, lines) for at, one in seen.observations.items()}


def run_jobs(
    jobs: Sequence[Job],
    take: Callable[[Seen], None],
    options: VerifyOptions,
    progress: Progress | None = None,
    note: Note = lambda text: None,
    *,
    limits: VerifyOptions | None = None,
) -> None:
    """Runs jobs in as many worker processes as the options say; after an interruption, unfinished jobs are left out.

    Args:
        jobs: what to run.
        take: called with what was seen of each job, now or in an earlier run.
        options: limits and interpreter.
        progress: called with the module that runs, how many probes are done, and how many there are.
        note: called with remarks on the run as a whole.
        limits: options with other limits for single jobs, if they differ.
    """
    through, total = 0, sum(len(job.probes) for job in jobs)
    counting = threading.Lock()
    cache = Cache(options)

    def count_probes(job: Job, more: int) -> None:
        nonlocal through
        with counting:
            through += more
            if progress is not None:
                progress(job.module, through, total)

    count = max(1, min(options.jobs or max(2, (os.cpu_count() or 2) // 2), len(jobs)))
    of_jobs = {folder for job in jobs for folder in (*job.paths, str(Path(job.file).parent))}
    shown = sorted({*of_jobs, *options.shown})
    waiting: SimpleQueue[Job] = SimpleQueue()
    for job in jobs:
        waiting.put(job)
    lock = threading.Lock()
    stop = threading.Event()
    workers: list[Worker] = []

    def work() -> None:
        with Worker(options, shown) as worker:
            workers.append(worker)
            while not stop.is_set():
                try:
                    job = waiting.get_nowait()
                except Empty:
                    return
                count_probes(job, 0)
                seen = cache.observe(job, worker, limits or options, partial(count_probes, job))
                with lock:
                    take(seen)

    if jobs:
        _in_threads(work, count, stop, workers)
    for problem in sorted({worker.unconfined for worker in workers} - {""}):
        note(problem)
    for absent in sorted(set().union(*(worker.absent for worker in workers))):
        note(f"code ran on the CPU, since JAX finds no {absent}")


def _in_threads(work: Callable[[], None], count: int, stop: threading.Event, workers: list[Worker]) -> None:
    """Runs `work` in threads to its end; an interruption or a failure ends the workers at once."""
    with ThreadPoolExecutor(count) as threads:
        futures: list[Future[None]] = [threads.submit(work) for _ in range(count)]
        try:
            wait(futures, return_when=FIRST_EXCEPTION)
            for future in futures:
                future.result()
        except KeyboardInterrupt:
            _abort(stop, workers)
        except BaseException:
            _abort(stop, workers)
            raise


def _abort(stop: threading.Event, workers: list[Worker]) -> None:
    stop.set()
    for worker in workers:
        worker.abort()
