"""JIT851: a key of random numbers is used twice."""

from jitlint.events.event import Event, EventKind
from jitlint.fixes.remedies import SPLIT_KEY
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class ReusedKey(Rule):
    """Key of random numbers that is used twice."""

    code = "JIT851"
    name = "reused-key"
    severity = Severity.WRONG
    events = (EventKind.KEY_REUSED,)
    what = """
        A key that draws random numbers, or is split, after it did so before: in the same function, in a function that
        it is passed to, in the next round of a loop, or in each round of `lax.scan`. Outside of traced code, where
        tests and set-up often repeat numbers on purpose, it is a hint. So it is for keys of `jax.random.PRNGKey`, and
        where nothing tells which kind it is: JAX's own checker knows those of `jax.random.key` only.
        """
    why = """
        JAX has no hidden state of random numbers: the same key gives the same numbers. What should be independent is
        equal, or correlated: weights start alike, noise repeats in each step.
        """
    error = "jax.errors.KeyReuseError: In jit, argument 0 is already consumed."
    example = """
        import jax

        jax.config.update("jax_debug_key_reuse", True)

        @jax.jit
        def jitter(x, key):
            scaled = x * jax.random.uniform(key, x.shape)
            return scaled + jax.random.normal(key, x.shape)

        jitter(jax.numpy.ones(3), jax.random.key(0))
        """
    remedy = """
        Split the key, and use each part once: `key, subkey = jax.random.split(key)`. In loops, split in each round, or
        derive the round's key: `jax.random.fold_in(key, i)`. Where the same numbers are wanted, say so:
        `jax.random.clone(key)`.
        """
    fixed_example = """
        import jax

        jax.config.update("jax_debug_key_reuse", True)

        @jax.jit
        def jitter(x, key):
            by_key, to_key = jax.random.split(key)
            scaled = x * jax.random.uniform(by_key, x.shape)
            return scaled + jax.random.normal(to_key, x.shape)

        jitter(jax.numpy.ones(3), jax.random.key(0))
        """
    fixes = (SPLIT_KEY,)
    unknown = """
        Silent: only keys in variables are followed, which functions of `jax.random` use up, or functions of the
        project that do so on every path.
        """
    verified_by = "Tracing with `jax.debug_key_reuse(True)`: confirmed if JAX finds a key that is used twice."

    def check(self, event: Event) -> str | None:
        key = subject(event, "a key")
        if event.construct == "loop":
            problem = f"each round uses the key {key} again, and gets the same random numbers"
            return compose(event, problem, "split it in each round, or use jax.random.fold_in")
        before = f" (at {event.detail['used']})" if event.detail.get("used") else ""
        problem = f"the key {key} was used before{before}, and gives the same random numbers again"
        return compose(event, problem, "split it, and use each part once")

    def severity_of(self, event: Event) -> Severity:
        return self.severity if event.detail.get("checked") else Severity.HINT
