"""Which output of traced code is worth a word: what shows a tracer, and what stands beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from programs import check, write

from jitlint.pipeline import find
from jitlint.rules.rule import Severity

SHOWN = {
    "an argument": "print('loss', loss)",
    "an f-string": "print(f'loss {loss}')",
    "a part of a tuple": "print(('loss', loss))",
    "the percent sign": "print('loss %s' % loss)",
    "format": "print('loss {}'.format(loss))",
    "str": "print('loss ' + str(loss))",
    "repr": "print(repr(loss))",
    "a variable": "text = f'{loss}'; print(text)",
    "an argument of a logger": "log.info('loss %s', loss)",
    "an f-string of a logger": "log.info(f'loss {loss}')",
}

HIDDEN = {
    "text": "print('tracing')",
    "a shape": "print(f'loss of shape {x.shape}')",
    "a dtype": "log.info('dtype %s', x.dtype)",
    "a setting": "log.info(f'rate {RATE}')",
    "a warning": "warnings.warn('step is going to be removed')",
    "a warning of a logger": "log.warning('step is slow for %d rows', x.shape[0])",
    "a warning of absl": "absl.logging.warning('step is slow')",
    "a tracer, for debugging": "log.debug('loss %s', loss)",
    "a tracer, for debugging with absl": "absl.logging.vlog(1, 'loss %s', loss)",
}


def program(line: str, label: str = "") -> str:
    return f"""
        import logging
        import warnings
        import absl.logging
        import jax
        import jax.numpy as jnp

        RATE = 0.5
        log = logging.getLogger(__name__)

        @jax.jit
        def step(x):
            loss = jnp.sum(x)
            {line}{label}
            return loss

        step(jnp.ones(3))
    """


@pytest.mark.parametrize("how", SHOWN)
def test_a_tracer_is_shown(tmp_path: Path, how: str) -> None:
    check(tmp_path, program(SHOWN[how], "  # expect: JIT504"))


@pytest.mark.parametrize("how", HIDDEN)
def test_without_a_tracer_or_for_debugging_it_is_a_hint(tmp_path: Path, how: str) -> None:
    check(tmp_path, program(HIDDEN[how]))
    (finding,) = find(write(tmp_path, program(HIDDEN[how]))).findings
    assert (finding.code, finding.severity) == ("JIT504", Severity.HINT)


def test_output_beside_a_tracer_belongs_to_its_report(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        @jax.jit
        def step(x):
            print("step:")  # expect: JIT504
            print(x)  # expect: JIT504
            return x * 2
        """,
    )


def test_consecutive_outputs_belong_to_one_report_and_others_do_not(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        @jax.jit
        def step(x, rounds=3):
            print("begin")
            x = x * 2
            for i in range(rounds):
                print("round", i)
            print(  # expect: JIT504
                "after:",
            )
            print("x is")  # expect: JIT504
            print(x)  # expect: JIT504
            return x
        """,
    )


def test_output_beside_a_change_of_state_means_each_call(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import warnings
        import jax

        steps = 0

        @jax.jit
        def step(x):
            global steps
            steps += 1  # expect: JIT502
            warnings.warn("one more step")  # expect: JIT504
            x = x * 2
            warnings.warn("step is going to be removed")
            return x
        """,
    )


def test_what_fails_in_its_arguments_is_never_put_out(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        @jax.jit
        def step(x):
            print(f"x is {x:.3f}")  # expect: JIT307
            return x * 2
        """,
    )


def test_what_a_helper_puts_out_for_one_of_its_callers_counts(tmp_path: Path) -> None:
    check(
        tmp_path,
        """
        import jax

        def say(text):
            print(text)  # expect: JIT504

        @jax.jit
        def step(x):
            say("step")
            say(f"with {x}")
            return x * 2
        """,
    )


@pytest.mark.parametrize(("name", "failing"), [("test_step.py", ""), ("benchmarks/step.py", "  # expect: JIT103")])
def test_in_code_that_runs_once_output_and_compiling_again_are_hints(tmp_path: Path, name: str, failing: str) -> None:
    text = """
        import jax

        def run(x):
            for scale in (1.0, 2.0):
                x = jax.jit(lambda v: v * scale)(x){}
            return x

        @jax.jit
        def step(x):
            print(x){}
            assert x > 0{}
            return x
    """
    check(tmp_path, {name: text.format("", "", failing)})
    check(tmp_path, {"step.py": text.format("  # expect: JIT401", "  # expect: JIT504", "  # expect: JIT103")})
