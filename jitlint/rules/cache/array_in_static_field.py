"""JIT408: an array in a static field of a pytree."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose, function
from jitlint.rules.rule import Rule, Severity


class ArrayInStaticField(Rule):
    """Array in a static field of a pytree."""

    code = "JIT408"
    name = "array-in-static-field"
    severity = Severity.ERROR
    events = (EventKind.STATIC_FIELD,)
    what = """
        Objects of a pytree class that hold different arrays in a static field, passed to the same jitted function. A
        field is static by `eqx.field(static=True)`, `struct.field(pytree_node=False)` or `meta_fields`, or since
        `tree_flatten` puts it into the auxiliary data.
        """
    why = """
        Static fields are part of the compile cache's key. JAX asks whether they are equal, and arrays answer with an
        array. One object alone works, so that the error comes with the second one.
        """
    error = (
        "ValueError: Exception raised while checking equality of metadata fields of pytree. Make sure that metadata "
        "fields are hashable and have simple equality semantics. (Note: arrays cannot be passed as metadata fields!)"
    )
    example = """
        from dataclasses import dataclass, field

        import jax
        import jax.numpy as jnp

        @jax.tree_util.register_dataclass
        @dataclass
        class Grid:
            values: jax.Array
            spacing: jax.Array = field(metadata={"static": True})

        @jax.jit
        def total(grid):
            return grid.values.sum()

        total(Grid(jnp.ones(3), jnp.array([0.1, 0.2])))
        total(Grid(jnp.ones(3), jnp.array([0.3, 0.4])))
        """
    remedy = """
        Make the field a normal one: its arrays are traced. If code needs its values while tracing, keep a tuple of
        numbers in the static field.
        """
    fixed_example = """
        import typing
        from dataclasses import dataclass, field

        import jax
        import jax.numpy as jnp

        @jax.tree_util.register_dataclass
        @dataclass
        class Grid:
            values: jax.Array
            spacing: typing.Sequence = field(metadata={"static": True})

        @jax.jit
        def total(grid):
            return grid.values.sum()

        total(Grid(jnp.ones(3), (0.1, 0.2)))
        total(Grid(jnp.ones(3), (0.3, 0.4)))
        """
    unknown = """
        Silent: only two objects in view with arrays of their own are reported, or those that the rounds of a loop make;
        one object works.
        """
    verified_by = "Running the calls: confirmed if JAX fails to compare the fields."

    def check(self, event: Event) -> str | None:
        field = f"`{event.detail['attribute']}` of `{event.detail['class']}`"
        problem = f"{field} is static and holds another array than in an earlier call of {function(event)}"
        return compose(event, problem, "make it a normal field, or a tuple of numbers")
