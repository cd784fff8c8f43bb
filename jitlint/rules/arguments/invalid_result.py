"""JIT605: a traced function returns something that is no JAX type."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import aside, compose, function, under
from jitlint.rules.rule import Rule, Severity


class InvalidResult(Rule):
    """Traced function that returns something that JAX cannot trace."""

    code = "JIT605"
    name = "invalid-result"
    severity = Severity.ERROR
    events = (EventKind.INVALID_RESULT,)
    what = """
        A traced function that returns text, a function, a dtype, a set or an object of a class that is no pytree, also
        inside of a tuple, list or dictionary.
        """
    why = """
        Results must be arrays, numbers, None, or containers of them: the compiled program can give nothing else.
        """
    error = (
        "TypeError: function classify at … traced for jit returned a value of type <class 'str'> at output component "
        "[1], which is not a valid JAX type"
    )
    example = """
        import jax
        import jax.numpy as jnp

        @jax.jit
        def classify(x):
            return jnp.tanh(x), "saturated"

        y, label = classify(3.0)
        """
    remedy = """
        Return arrays, and make the rest of them outside: a number for a label, the arrays that a function closes over.
        Register classes as pytrees. `equinox.filter_jit` gives back as it is what is no array.
        """
    fixed_example = """
        import jax
        import jax.numpy as jnp

        LABELS = ("linear", "saturated")

        @jax.jit
        def classify(x):
            return jnp.tanh(x), jnp.where(jnp.abs(x) > 2, 1, 0)

        y, label = classify(3.0)
        label = LABELS[int(label)]
        """
    unknown = "Silent: only a result whose type is known not to be a JAX type is reported."
    verified_by = "Tracing the function: confirmed if JAX refuses its result."

    def check(self, event: Event) -> str | None:
        article = "an" if event.construct[:1] in "aeiou" else "a"
        problem = (
            f"{function(event)}{under(event)} returns {article} {event.construct}{aside(event)}, which is no JAX type"
        )
        return compose(event, problem, "return arrays, and make the rest of them outside")
