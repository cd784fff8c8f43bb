"""JIT404: a static argument that is a new object in each call."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HASHABLE
from jitlint.rules.message import aside, compose, parameter
from jitlint.rules.rule import Rule, Severity


class FreshStatic(Rule):
    """Static argument that is a new object in each call."""

    code = "JIT404"
    name = "fresh-static"
    severity = Severity.SLOW
    events = (EventKind.STATIC_VALUE,)
    what = """
        A lambda, `partial`, function, method of a new object or instance of a class without `__eq__` that is made anew
        for each call and passed for an argument that is static, a method's `self` among them, or held by a static field
        of a pytree that is passed: an optimizer of Optax in a `TrainState`, or a lambda in a module under
        `eqx.filter_jit`.
        """
    why = """
        Functions are compared by identity, and so are objects of a class without `__eq__`. An object that is made anew
        for each call is a new key of the compile cache, so each call compiles.
        """
    error = ""
    example = """
        from functools import partial

        import jax

        @partial(jax.jit, static_argnames="activation")
        def layer(x, activation):
            return activation(x)

        for value in (1.0, 2.0, 3.0):
            layer(value, activation=lambda v: v * v)
        """
    remedy = """
        Make it once, at module level or before the loop, and pass the same object in each call. Let a class that only
        holds settings be a frozen dataclass: equal settings are then the same key.
        """
    fixed_example = """
        from functools import partial

        import jax

        @partial(jax.jit, static_argnames="activation")
        def layer(x, activation):
            return activation(x)

        def square(v):
            return v * v

        for value in (1.0, 2.0, 3.0):
            layer(value, activation=square)
        """
    symptom = "compiled.count('jit(layer)') > 1"
    fixes = (HASHABLE,)
    unknown = "Silent: only a value that is known to be a new object in each call is reported."
    verified_by = "Counting compilations over repeated calls: confirmed if there is more than one for the same shapes."

    def check(self, event: Event) -> str | None:
        if event.construct == "field":
            field = f"`{event.detail['attribute']}` of `{event.detail['class']}`"
            problem = f"{field} is static, and a new function in each round of a loop, so each round compiles"
            return compose(event, problem, "make it once, before the loop")
        if event.construct not in ("lambda", "function", "partial", "bound method", "instance"):
            return None
        held = event.detail.get("holds", "")
        if held:
            problem = f"static {parameter(event)} holds a new {held} in each call{aside(event)}, so each call compiles"
            return compose(event, problem, "make the function once and reuse it")
        if event.construct == "instance":
            problem = f"static {parameter(event)} is a new object{aside(event)} in each call, so each call compiles"
            return compose(event, problem, "make it once, or its class a frozen dataclass")
        if event.construct == "bound method":
            problem = f"static {parameter(event)} is a method of a new object in each call, so each call compiles"
            return compose(event, problem, "make the object once")
        problem = f"static {parameter(event)} is a new {event.construct} in each call, so each call compiles"
        return compose(event, problem, "make the function once and reuse it")
