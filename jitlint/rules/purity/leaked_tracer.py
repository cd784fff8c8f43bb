"""JIT503: a traced value stored where it outlives the trace."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import HOST_CALLBACK
from jitlint.rules.message import compose, under
from jitlint.rules.rule import Rule, Severity


class LeakedTracer(Rule):
    """Traced value stored where it outlives the trace."""

    code = "JIT503"
    name = "leaked-tracer"
    severity = Severity.WRONG
    events = (EventKind.LEAK,)
    what = """
        A traced array appended to an outer list, stored in an outer dictionary or attribute, or assigned to a `global`
        or `nonlocal` name. Or one that a cache stores: a function under `functools.lru_cache`, or a
        `functools.cached_property`, computes with JAX and is first called while tracing.
        """
    why = """
        After tracing, the array has no meaning: using it raises UnexpectedTracerError, far from the place that stored
        it. Moreover it is stored once, not in each call.
        """
    error = (
        "jax.errors.UnexpectedTracerError: Encountered an unexpected tracer. A function transformed by JAX had a "
        "side effect, allowing for a reference to an intermediate value with type float32[] wrapped in a "
        "DynamicJaxprTracer to escape the scope of the transformation."
    )
    example = """
        import jax

        history = []

        @jax.jit
        def step(x):
            x = x * 0.5
            history.append(x)
            return x

        step(8.0)
        total = sum(history)
        """
    remedy = """
        Return the value and store it outside. In a loop, let `jax.lax.scan` collect the values. Compute cached values
        with NumPy, or under `jax.ensure_compile_time_eval()`.
        """
    fixed_example = """
        import jax

        history = []

        @jax.jit
        def step(x):
            return x * 0.5

        history.append(step(8.0))
        total = sum(history)
        """
    fixes = (HOST_CALLBACK,)
    unknown = """
        Silent: only values known to be traced, stored in objects known to outlive the trace. Where whoever is seen to
        read the object has written it before, it is only possible.
        """
    verified_by = "Tracing under jax.checking_leaks: confirmed if a tracer stays behind in the named object."

    def check(self, event: Event) -> str | None:
        name = f"`{event.detail['name']}`" if event.detail.get("name") else "an outer object"
        kept = f"outlives the trace and keeps a traced value{f': {event.origin}' if event.origin else ''}{under(event)}"
        if event.construct in ("lru_cache", "cached_property"):
            return compose(event, f"the cache of {name} {kept}", "compute it with NumPy, or before tracing")
        problem = f"{name} ({event.construct}) {kept}"
        return compose(event, problem, "return the value and store it outside")
