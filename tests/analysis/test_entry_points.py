"""The functions that are compiled as a whole, and from where they can be run."""

from __future__ import annotations

from pathlib import Path

import pytest

from jitlint.analysis.api import analyze
from jitlint.events.entry_point import EntryPoint
from jitlint.project.cache import Cache
from jitlint.project.modules import Project
from tests.analysis.programs import write


def entries(folder: Path, files: dict[str, str] | str) -> list[EntryPoint]:
    return list(analyze(Project(write(folder, files), Cache(None))).entries)


def test_each_function_that_a_compiling_transform_gets_is_one(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        """
        from functools import partial
        import jax

        @jax.jit
        def plain(x):
            return jax.vmap(jax.grad(lambda v: v * v))(x)

        @partial(jax.jit, static_argnames="n")
        def options(x, n):
            return plain(x) * n

        def outer(x):
            step = jax.jit(lambda v: v + 1)
            return step(x)

        mapped = jax.pmap(outer)
        plain(1.0)
        """,
    )
    assert [(e.place.line, e.transform, e.function, e.name, e.root.qualname, e.root.calls) for e in found] == [
        (5, "jax.jit", "program:plain", "plain", "plain", ("(1.0)",)),
        (9, "jax.jit", "program:options", "options", "options", ()),
        (14, "jax.jit", "", "outer.<locals>.<lambda>", "outer", ()),
        (17, "jax.pmap", "program:outer", "outer", "mapped", ()),
    ]
    assert {str(e.origin) for e in found} == {"transform"}


@pytest.mark.parametrize(
    ("expression", "transforms"),
    [
        ("jax.shard_map(f, mesh=mesh, in_specs=(), out_specs=())", ["jax.shard_map"]),
        ("jax.jit(jax.shard_map(f, mesh=mesh, in_specs=(), out_specs=()))", ["jax.jit"]),
        ("jax.vmap(f)", []),
    ],
)
def test_a_mapped_shard_is_one_unless_it_is_jitted(tmp_path: Path, expression: str, transforms: list[str]) -> None:
    found = entries(
        tmp_path, f"import jax\n\ndef f(x):\n    return x\n\nmesh = jax.make_mesh((1,), ('i',))\ng = {expression}\n"
    )
    assert [entry.transform for entry in found] == transforms


def test_what_a_framework_and_a_package_offer_counts_too(tmp_path: Path) -> None:
    found = entries(
        tmp_path,
        {
            "pkg/__init__.py": "from pkg.parts import loss, step, _hidden",
            "pkg/parts.py": """
                import jax
                import flax.linen as nn

                class Model(nn.Module):
                    @nn.compact
                    def __call__(self, x):
                        return nn.Dense(3)(x)

                def loss(x):
                    return x * 2

                def _hidden(x):
                    return x

                def inner(x):
                    return x

                @jax.jit
                def step(x):
                    return loss(x)
                """,
        },
    )
    assert [(str(e.origin), e.function) for e in found] == [
        ("method", "pkg.parts:Model.__call__"),
        ("export", "pkg.parts:loss"),
        ("transform", "pkg.parts:step"),
    ]
