"""How a value gets to where it is misused: by names, containers, calls and objects, its stage unchanged."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Carrier:
    """`lines` run first; `result` is the expression that gives <e> again. `module` lines go to the top level."""

    name: str
    result: str
    lines: tuple[str, ...] = ()
    module: tuple[str, ...] = ()


CARRIERS = (
    Carrier("expression", "<e>"),
    Carrier("expression", "<e>"),
    Carrier("expression", "<e>"),
    Carrier("name", "name_", ("name_ = <e>",)),
    Carrier("tuple", "pair_[0]", ("pair_ = (<e>, 2.0)",)),
    Carrier("unpacking", "left_", ("left_, right_ = <e>, None",)),
    Carrier("starred unpacking", "rest_[0]", ("one_, *rest_ = 1, <e>",)),
    Carrier("dict", "table_['value']", ("table_ = {'value': <e>, 'other': 1}",)),
    Carrier("dict.get", "table_.get('value')", ("table_ = dict(value=<e>)",)),
    Carrier("dict loop", "last_", ("for key_, last_ in {'value': <e>}.items():", "    pass")),
    Carrier("list append", "items_[-1]", ("items_ = [1.0]", "items_.append(<e>)")),
    Carrier("comprehension", "items_[0]", ("items_ = [item_ for item_ in (<e>,)]",)),
    Carrier("walrus", "bound_", ("other_ = (bound_ := <e>)",)),
    Carrier("loop", "last_", ("for last_ in [<e>]:", "    pass")),
    Carrier("zip", "last_", ("for first_, last_ in zip([1], [<e>]):", "    pass")),
    Carrier("enumerate", "last_", ("for at_, last_ in enumerate([<e>]):", "    pass")),
    Carrier("map", "mapped_[0]", ("mapped_ = list(map(lambda item: item, [<e>]))",)),
    Carrier("reduce", "functools.reduce(lambda left, right: right, [1, <e>])"),
    Carrier("lambda", "same_(<e>)", ("same_ = lambda value: value",)),
    Carrier("local function", "same_(<e>)", ("def same_(value):", "    result = value", "    return result")),
    Carrier("closure", "get_()", ("kept_ = <e>", "", "def get_():", "    return kept_")),
    Carrier("function", "carry_(<e>)", (), ("def carry_(value, unused=None):", "    return value")),
    Carrier("keyword", "carry_(value=<e>)", (), ("def carry_(*, value, unused=None):", "    return value")),
    Carrier("star arguments", "carry_(1, <e>)", (), ("def carry_(*values):", "    return values[1]")),
    Carrier("star keywords", "carry_(value=<e>)", (), ("def carry_(**values):", "    return values['value']")),
    Carrier("partial", "functools.partial(carry_, 1)(<e>)", (), ("def carry_(one, value):", "    return value")),
    Carrier("generator", "next(carry_(<e>))", (), ("def carry_(value):", "    yield value")),
    Carrier(
        "two calls",
        "carry_(<e>)",
        (),
        (
            "def inner_(value):",
            "    return value, 1",
            "",
            "",
            "def carry_(value):",
            "    result, _ = inner_(value)",
            "    return result",
        ),
    ),
    Carrier(
        "early return",
        "carry_(<e>)",
        (),
        ("def carry_(value):", "    if value is None:", "        return 0", "    return value"),
    ),
    Carrier(
        "object", "Box_(<e>).value", (), ("class Box_:", "    def __init__(self, value):", "        self.value = value")
    ),
    Carrier(
        "method",
        "Box_(<e>).get()",
        (),
        (
            "class Box_:",
            "    def __init__(self, value):",
            "        self.value = value",
            "",
            "    def get(self):",
            "        return self.value",
        ),
    ),
    Carrier(
        "property",
        "Box_(<e>).got",
        (),
        (
            "class Box_:",
            "    def __init__(self, value):",
            "        self.value = value",
            "",
            "    @property",
            "    def got(self):",
            "        return self.value",
        ),
    ),
    Carrier("named tuple", "Pair_(<e>, 1).left", (), ("Pair_ = collections.namedtuple('Pair_', 'left right')",)),
    Carrier(
        "dataclass",
        "Box_(<e>).value",
        (),
        ("@dataclasses.dataclass", "class Box_:", "    value: object", "    other: int = 1"),
    ),
    Carrier(
        "inherited",
        "Sub_(<e>).value",
        (),
        (
            "class Base_:",
            "    def __init__(self, value):",
            "        self.value = value",
            "",
            "",
            "class Sub_(Base_):",
            "    def __init__(self, value):",
            "        super().__init__(value)",
        ),
    ),
    Carrier(
        "decorated",
        "carry_(<e>)",
        (),
        (
            "def wrap_(function):",
            "    @functools.wraps(function)",
            "    def wrapped(*args, **kwargs):",
            "        return function(*args, **kwargs)",
            "",
            "    return wrapped",
            "",
            "",
            "@wrap_",
            "def carry_(value):",
            "    return value",
        ),
    ),
    Carrier("tree.map", "jax.tree.map(lambda leaf: leaf, {'value': <e>})['value']"),
    Carrier(
        "with",
        "carried_",
        ("with open_(<e>) as carried_:", "    pass"),
        (
            "class open_:",
            "    def __init__(self, value):",
            "        self.value = value",
            "",
            "    def __enter__(self):",
            "        return self.value",
            "",
            "    def __exit__(self, *error):",
            "        return None",
        ),
    ),
    Carrier("try", "tried_", ("try:", "    tried_ = <e>", "except KeyError:", "    tried_ = 0")),
    Carrier("itertools.chain", "chained_[0]", ("chained_ = list(itertools.chain([<e>], [1]))",)),
    Carrier("operator", "operator.itemgetter(1)((0, <e>))"),
)
