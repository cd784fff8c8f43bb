"""JIT714: `jax.tree.map` over trees of different structure."""

from jitlint.events.event import Event, EventKind
from jitlint.rules.message import compose
from jitlint.rules.rule import Rule, Severity


class TreesDiffer(Rule):
    """Trees of different structure that are mapped over together."""

    code = "JIT714"
    name = "trees-differ"
    severity = Severity.ERROR
    events = (EventKind.TREES,)
    what = """
        `jax.tree.map` over several trees, of which one has other containers, keys or lengths than the first.
        """
    why = """
        The function gets a leaf of the first tree and what lies at the same place in the others. JAX knows containers
        by their type: a tuple is no list, and a dict with one key more is another tree.
        """
    error = "ValueError: pytree structure error: different numbers of pytree children at key path"
    example = """
        import jax

        params = {"w": 1.0, "b": 0.0}
        gradients = {"w": 0.1}
        jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
        """
    remedy = """
        Give all trees the structure of the first. What `jax.value_and_grad` returns is a pair: take the gradient from
        it. Leaves of the first tree may stand for whole subtrees of the others, not the other way round.
        """
    fixed_example = """
        import jax

        params = {"w": 1.0, "b": 0.0}
        gradients = {"w": 0.1, "b": 0.0}
        jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)
        """
    unknown = "Silent: only trees whose structures are known are compared, and none under `is_leaf`."
    verified_by = "Running or tracing the call: confirmed if JAX finds the structures different."

    def check(self, event: Event) -> str | None:
        difference = event.detail.get("difference", "")
        problem = f"the trees that `{event.construct}` takes differ in structure: {difference}"
        return compose(event, problem, "give all of them the structure of the first")
