"""JIT604: an argument of a type that JAX cannot trace."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import REGISTERED, STATIC
from jitlint.rules.message import aside, compose, is_jit, parameter, under
from jitlint.rules.rule import Rule, Severity


class InvalidArgument(Rule):
    """Argument of a type that JAX cannot trace."""

    code = "JIT604"
    name = "invalid-argument"
    severity = Severity.ERROR
    events = (EventKind.INVALID_ARGUMENT,)
    what = """
        A string, bytes, set, function, slice or object of a class that is not a pytree, passed to a traced function.
        """
    why = """
        Traced arguments must be arrays, numbers, or containers of them. Anything else has to be static.
        """
    error = (
        "TypeError: Error interpreting argument to <function activate at …> as an abstract array. The problematic "
        "value is of type <class 'str'> and was passed to the function at path kind."
    )
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def activate(x, kind):
            return jnp.sin(x) if kind == "sin" else jnp.cos(x)

        activate(1.0, "sin")
        """
    remedy = """
        Make the argument static with `static_argnames`, bind it with `functools.partial` before the transform, or
        register its class as a pytree. Equinox's modules may hold functions: `equinox.filter_jit` and its like trace
        the arrays in them alone.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="kind")
        def activate(x, kind):
            return jnp.sin(x) if kind == "sin" else jnp.cos(x)

        activate(1.0, "sin")
        """
    fixes = (REGISTERED, STATIC)
    unknown = "Silent: only an argument whose type is known not to be a JAX type is reported."
    verified_by = "Running the call: confirmed if JAX refuses the argument."

    def check(self, event: Event) -> str | None:
        article = "an" if event.construct[:1] in "aeiou" else "a"
        given = f"what holds {article} {event.construct}" if "field" in event.detail else f"{article} {event.construct}"
        problem = f"{parameter(event)} gets {given}{aside(event)}, which cannot be traced{under(event)}"
        if "function" in event.detail:
            problem = f"{parameter(event)} gets {given}{aside(event)}, and it computes with every leaf"
            adds = event.detail["function"].endswith("apply_updates")
            arrays = "pass the arrays alone: equinox.filter(…, equinox.is_array)"
            return compose(
                event, problem, "use equinox.apply_updates, or optax's on the arrays alone" if adds else arrays
            )
        if event.detail.get("library") == "equinox" and (filtered := _filtered(event)):
            return compose(event, problem, f"use equinox.{filtered}, which traces the arrays in it")
        bind = "bind it with functools.partial"
        return compose(event, problem, f"make the argument static or {bind}" if is_jit(event) else bind)


def _filtered(event: Event) -> str:
    """Equinox's form of the transform; "" if it has none."""
    name = event.entry.transform.removeprefix("jax.") if event.entry is not None else ""
    return f"filter_{name}" if name in ("jit", "grad", "value_and_grad", "vmap") else ""
