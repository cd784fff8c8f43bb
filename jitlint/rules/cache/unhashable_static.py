"""JIT403: a static argument without a hash."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HASHABLE, STATIC_NAMED
from jitlint.rules.message import aside, compose, parameter
from jitlint.rules.rule import Rule, Severity

_HASHABLE = frozenset(
    {"lambda", "function", "partial", "bound method", "instance", "field", "loop variable", "counter"}
)

_REMEDY = {
    "list": "pass a tuple",
    "dict": "pass a tuple of its items",
    "set": "pass a frozenset",
    "array": "pass a Python number or tuple, or make it a normal argument",
    "tracer": "make it a normal argument, or pass a value known while tracing",
}


class UnhashableStatic(Rule):
    """Static argument without a hash."""

    code = "JIT403"
    name = "unhashable-static"
    severity = Severity.ERROR
    events = (EventKind.STATIC_VALUE,)
    what = """
        A list, dictionary, set, array, tracer or other unhashable object passed for an argument that is static; a
        callable object without a hash, such as an Equinox module with arrays, given to `jax.jit` or `lax.scan`.
        """
    why = """
        Static arguments are part of the compile cache's key, so they must have a hash and an equality that never
        change.
        """
    error = (
        "ValueError: Non-hashable static arguments are not supported. An error occurred while trying to hash an "
        "object of type <class 'list'>, [2, 3]. The error was:"
    )
    example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="sizes")
        def fold(x, sizes):
            return x.reshape(sizes)

        fold(jnp.ones(6), sizes=[2, 3])
        """
    remedy = """
        Pass a hashable value: a tuple for a list, a frozenset for a set, a frozen dataclass for a configuration.
        Arrays belong in normal, traced arguments. Use `equinox.filter_jit` for Equinox modules, and in
        `lax.scan` a function or lambda that calls the module.
        """
    fixed_example = """
        from functools import partial

        import jax
        import jax.numpy as jnp

        @partial(jax.jit, static_argnames="sizes")
        def fold(x, sizes):
            return x.reshape(sizes)

        fold(jnp.ones(6), sizes=(2, 3))
        """
    fixes = (HASHABLE, STATIC_NAMED)
    unknown = "Silent: only a value that is known to be unhashable is reported."
    verified_by = "Running the call: confirmed if JAX refuses the static argument."

    def check(self, event: Event) -> str | None:
        if event.construct in _HASHABLE:
            return None
        article = "an" if event.construct[:1] in "aeiou" else "a"
        if event.detail.get("parameter") in ("fun", "f") and "function" in event.detail:
            jitted = event.detail["function"].endswith("jit")
            remedy = "use equinox.filter_jit" if event.detail.get("leaves") and jitted else "wrap it in a function"
            return compose(event, f"`{event.detail['function']}` gets an object that cannot be hashed", remedy)
        problem = f"static {parameter(event)} gets {article} {event.construct}{aside(event)}, which cannot be hashed"
        return compose(event, problem, _REMEDY.get(event.construct, "pass a hashable value"))
