"""JIT409: a compiled function that is kept under a key that leaves out what it captures."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, subject
from jitlint.rules.rule import Rule, Severity


class IncompleteKey(Rule):
    """Compiled function kept under a key that leaves out what it captures."""

    code = "JIT409"
    name = "incomplete-key"
    severity = Severity.WRONG
    events = (EventKind.KEPT_COMPILED,)
    what = """
        A function keeps what it has compiled, in a dict, an attribute or a global, so as to compile once only. The
        compiled function captures something that the key does not tell apart, and calls differ in it.
        """
    why = """
        Whoever asks with the same key gets the function that was compiled for the first one: for another model, other
        settings, another object. Nothing fails; the results are those of the first.
        """
    error = ""
    example = """
        from functools import partial

        import jax

        compiled = {}

        def rollout(policy, steps, x):
            for _ in range(steps):
                x = policy(x)
            return x

        def compiled_rollout(policy, steps):
            if steps not in compiled:
                compiled[steps] = jax.jit(partial(rollout, policy, steps))
            return compiled[steps]

        doubled = compiled_rollout(lambda x: 2.0 * x, 3)(1.0)
        halved = compiled_rollout(lambda x: 0.5 * x, 3)(1.0)
        """
    remedy = """
        Put all that the function captures into the key, or pass it to the compiled function: as an argument, or as a
        static one (`static_argnums`), and JAX keeps a program for each.
        """
    fixed_example = """
        from functools import partial

        import jax

        @partial(jax.jit, static_argnums=(0, 1))
        def rollout(policy, steps, x):
            for _ in range(steps):
                x = policy(x)
            return x

        doubled = rollout(lambda x: 2.0 * x, 3, 1.0)
        halved = rollout(lambda x: 0.5 * x, 3, 1.0)
        """
    symptom = "float(halved) == 8.0"
    fixes = ()
    unknown = """
        Silent: a key of which nothing is known is taken to differ from call to call. There must be two calls in one run
        with the same key, or a loop in whose rounds only what is captured differs.
        """
    verified_by = "Watching the function: confirmed if it gives a call what it kept for another value."

    def check(self, event: Event) -> str | None:
        left_out = event.detail["left_out"]
        problem = (
            f"{subject(event, 'this')} keeps what is compiled for one `{left_out}`, which its key does not tell apart"
        )
        return compose(event, problem, f"make `{left_out}` part of the key, or an argument of the compiled function")
