"""JIT405: an option of jit that names no parameter."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import STATIC_NAMED
from jitlint.rules.message import aside, compose, function
from jitlint.rules.rule import Rule, Severity


class StaticNamesNothing(Rule):
    """`static_argnums` or `static_argnames` that names no parameter."""

    code = "JIT405"
    name = "static-names-nothing"
    severity = Severity.ERROR
    events = (EventKind.STATIC_NAME,)
    what = """
        An entry of `static_argnums`, `static_argnames` or a `donate_` option for which the function has no parameter,
        an entry of a `donate_` option for a parameter that is static, or an option that is given by position.
        """
    why = """
        JAX refuses such an entry when the transform is applied. Often a parameter was renamed or removed, or `self` was
        not counted. A static argument has no buffer to donate.
        """
    error = (
        "ValueError: Jitted function has invalid argnames {'axes'} in static_argnames. Function does not take "
        "these args."
    )
    example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="axes")
        def total(x, axis):
            return x.sum(axis)

        total(jnp.ones(3), axis=0)
        """
    remedy = """
        Name a parameter that exists. `static_argnames` is safer than `static_argnums`: it survives reordering.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="axis")
        def total(x, axis):
            return x.sum(axis)

        total(jnp.ones(3), axis=0)
        """
    fixes = (STATIC_NAMED,)
    unknown = "Silent: only where the function's parameters are known; `*args` and `**kwargs` take any entry."
    verified_by = "Applying the transform: confirmed if JAX refuses the entry."

    def check(self, event: Event) -> str | None:
        option = event.detail.get("option", "static_argnames")
        entry = f"`{event.detail['entry']}`" if event.detail.get("entry") else "an entry"
        if event.detail.get("by_position"):
            transform = event.entry.transform if event.entry else "the transform"
            return compose(event, f"{transform} takes no option by position{aside(event)}", "give the option's name")
        if event.detail.get("static"):
            problem = f"{option} has {entry}, which is static: it has no buffer that {function(event)} could reuse"
            return compose(event, problem, "leave it out of one of both options")
        problem = f"{option} has {entry}, but {function(event)} has no such parameter"
        return compose(event, problem, "name an existing parameter")
