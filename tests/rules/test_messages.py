"""Each event is objected to by one rule, in words that people can use."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitlint.events.assumption import Assumption, AssumptionKind
from jitlint.events.event import Entry, Event, EventKind
from jitlint.rules.registry import all_rules, objections
from jitlint.source.defects import Defects
from jitlint.source.places import Place

K = EventKind
PLACE = Place("pkg/a.py", 12, 8, 12, 20)
ENTRY = Entry(PLACE, "jax.jit", "pkg.a:step")

MESSAGE = "dot_general requires contracting dimensions to have the same shape, got (2,) and (3,). " * 2
GIVEN = ("a tuple", "dtype int", "rank 1", "a number", "")

CASES: dict[str, list[tuple[EventKind, str, dict[str, str]]]] = {
    "JIT101": [(K.BOOL, "if", {})],
    "JIT102": [(K.BOOL, "while", {})],
    "JIT103": [(K.BOOL, "assert", {})],
    "JIT104": [(K.BOOL, "ternary", {})],
    "JIT105": [(K.BOOL, word, {}) for word in ("and", "or", "not")],
    "JIT106": [(K.BOOL, "comparison-chain", {})],
    "JIT107": [(K.BOOL, "comprehension", {})],
    "JIT108": [(K.BOOL, "in", {})],
    "JIT109": [(K.INDEX, "range", {})],
    "JIT110": [
        (K.BOOL, word, {}) for word in ("any", "all", "min", "max", "sorted", "sort", "filter", "heapq.heappush")
    ],
    "JIT111": [(K.BOOL, "match", {})],
    "JIT112": [
        (K.UNROLLED, word, {"over": over, "body": "3"})
        for word in ("for", "comprehension")
        for over in ("array", "range")
    ],
    "JIT113": [(K.IDENTITY, word, {"other": "True"}) for word in ("is", "is not")],
    "JIT201": [(K.SHAPE, "jax.numpy.zeros", {"parameter": "shape", "from_shape": "yes"})],
    "JIT202": [(K.SHAPE, "jax.numpy.zeros", {"parameter": "shape"}), (K.SHAPE, ".reshape", {"from_shape": "no"})],
    "JIT203": [(K.MASK_INDEX, "mask", {}), (K.MASK_INDEX, "mask", {"write": "yes"})],
    "JIT204": [(K.DATA_SHAPE, "jax.numpy.nonzero", {})],
    "JIT205": [(K.SLICE, "slice", {})],
    "JIT301": [
        (kind, word, {})
        for kind, words in ((K.BOOL, ("bool",)), (K.CONVERT, ("int", "float", "complex", "math.floor")))
        for word in words
    ],
    "JIT302": [(K.CONVERT, ".item", {}), (K.CONVERT, ".tolist", {})],
    "JIT303": [(K.HOST, word, {}) for word in ("numpy.clip", "scipy.stats.norm.pdf", "pandas.Series", "mathutils.f")],
    "JIT304": [(K.HOST, "math.sqrt", {}), (K.HOST, "cmath.exp", {})],
    "JIT305": [(K.INDEX, word, {}) for word in ("list", "tuple", "str", "operator.index")],
    "JIT306": [(K.HASH, word, {}) for word in ("dict", "set", "hash", "lru_cache")],
    "JIT307": [(K.FORMAT, word, {}) for word in ("f-string", "format", "%", "getattr", "dict")],
    "JIT308": [(K.HOST_METHOD, ".block_until_ready", {})],
    "JIT309": [(K.TEXT, word, {}) for word in ("text", "value", "unused")],
    "JIT401": [
        (K.JIT_CREATED, word, {"transform": "jax.jit", "where": "loop"})
        for word in ("lambda", "partial", "local function", "bound method", "jax.grad")
    ],
    "JIT402": [(K.JIT_CREATED, "lambda", {"transform": "jax.jit", "where": "call"})],
    "JIT403": [
        (K.STATIC_VALUE, word, {"parameter": "n"}) for word in ("list", "dict", "set", "array", "tracer", "object")
    ]
    + [
        (K.STATIC_VALUE, "list", {"parameter": "axis", "function": "jax.numpy.median"}),
        (K.STATIC_VALUE, "object", {"parameter": "fun", "function": "jax.jit", "leaves": "yes"}),
    ],
    "JIT404": [(K.STATIC_VALUE, word, {"parameter": "n"}) for word in ("lambda", "function", "partial", "instance")],
    "JIT405": [
        (K.STATIC_NAME, "static_argnums", {"option": "static_argnums", "entry": "2"}),
        (K.STATIC_NAME, "donate_argnums", {"option": "donate_argnums", "entry": "2", "static": "yes"}),
        (K.STATIC_NAME, "positional", {"by_position": "yes"}),
    ],
    "JIT406": [(K.STATIC_VALUE, "loop variable", {"parameter": "n"})],
    "JIT407": [(K.VARYING_SHAPE, word, {"parameter": "xs"}) for word in ("growth", "size")],
    "JIT408": [(K.STATIC_FIELD, "array", {"class": "Model", "attribute": "table"})],
    "JIT409": [(K.KEPT_COMPILED, "item", {"left_out": "policy", "kept": "compiled[steps]"})],
    "JIT501": [(K.STATE_READ, word, {"name": "factor", "writer": "pkg/a.py:9"}) for word in ("global", "attribute")],
    "JIT502": [
        (K.STATE_WRITE, word, {"name": "count"} | mapped)
        for word in ("global", "nonlocal", "attribute", "item")
        for mapped in ({}, {"mapped": "yes"})
    ],
    "JIT503": [(K.LEAK, word, {"name": "history"}) for word in ("append", "item", "global", "nonlocal", "lru_cache")],
    "JIT504": [
        (K.EFFECT, "print", {"category": word}) for word in ("output", "log", "debug", "warning", "file", "input")
    ],
    "JIT505": [(K.EFFECT, "time.time", {"category": word}) for word in ("clock", "environment")],
    "JIT506": [(K.EFFECT, "numpy.random.normal", {"category": "random"})],
    "JIT507": [(K.INPLACE, "item", {}), (K.INPLACE, "numpy.copyto", {})],
    "JIT508": [(K.FROZEN, "attribute", {"class": "State", "attribute": "step"})],
    "JIT509": [(K.SWALLOWED, word, {"kind": "bool", "handler": "except Exception"}) for word in ("if", "float")],
    "JIT510": [(K.DISCARDED, word, {}) for word in (".at[].set", ".sort", "jax.numpy.append")],
    "JIT511": [
        (K.ARGUMENT_WRITE, word, {"name": "state.step", "parameter": "state"})
        for word in ("item", "attribute", ".append")
    ],
    "JIT601": [
        (K.ITERATOR_ARGUMENT, word, {"parameter": "xs"})
        for word in ("generator", "iter", "zip", "map", "filter", "enumerate", "reversed", "file", "range", "view")
    ],
    "JIT602": [(K.ITERATOR_NEXT, word, {}) for word in ("next", "for", "list")],
    "JIT603": [(K.ITERATOR_RESULT, word, {}) for word in ("generator", "map")],
    "JIT604": [
        (K.INVALID_ARGUMENT, word, {"parameter": "mode"})
        for word in ("str", "bytes", "set", "function", "object", "slice")
    ],
    "JIT605": [(K.INVALID_RESULT, word, {}) for word in ("str", "function", "object", "dtype")],
    "JIT606": [(K.NO_RESULT, "jax.jit", {}), (K.NO_RESULT, "jax.grad", {"fails": "yes"})],
    "JIT701": [(K.OPERAND_DTYPES, "jax.lax.add", {"dtypes": "int32, float32"})],
    "JIT702": [
        (K.CARRY, word, {"difference": "a tuple becomes a list"})
        for word in ("jax.lax.scan", "jax.lax.while_loop", "jax.lax.fori_loop")
    ],
    "JIT703": [
        (K.BRANCHES, "jax.lax.cond", {"difference": "int against float"}),
        (K.BRANCHES, "jax.lax.switch", {"difference": "a branch takes 0 operands and gets 1"}),
        (K.BRANCHES, "switch", {}),
        (K.BRANCHES, "jax.lax.cond", {"fault": "raises in any case"}),
        (K.BRANCHES, "jax.lax.cond", {"fault": "calls `fact` again", "remedy": "loop"}),
    ],
    "JIT704": [(K.PREDICATE, "jax.lax.while_loop", {"given": given}) for given in GIVEN],
    "JIT705": [
        (K.LENGTHS, "jax.lax.scan", {"difference": "one leading axis is 1 longer than another"}),
        (K.LENGTHS, "jax.vmap", {"axis": "1", "rank": "0"}),
    ],
    "JIT706": [(K.BODY_RESULT, "jax.lax.scan", {"given": given}) for given in ("an array", "a tuple of 3", "None", "")],
    "JIT707": [
        (K.SELECTOR, word, {"given": given})
        for word in ("jax.lax.cond", "jax.lax.switch")
        for given in ("rank 1", "dtype float", "None", "a function", "")
    ],
    "JIT708": [(K.BOUNDS, "jax.lax.fori_loop", {"difference": given}) for given in ("int and float", "")],
    "JIT709": [(K.OPEN_LOOP, "jax.grad", {})],
    "JIT710": [
        (K.BODY_ORDER, "jax.lax.fori_loop", {}),
        (K.BODY_ORDER, "jax.lax.map", {"takes": "2", "gets": "1"}),
    ],
    "JIT711": [
        (K.GRADIENT, "jax.grad", {"given": "integers", "parameter": "codes"}),
        (K.GRADIENT, "jax.value_and_grad", {"given": "a tuple"}),
        (K.GRADIENT, "jax.value_and_grad", {"given": "an array of rank 2"}),
    ],
    "JIT712": [(K.AXIS_NAME, "jax.lax.pmean", {"axis": "batch"})],
    "JIT713": [
        (K.DERIVATIVE_RULE, "jax.custom_vjp", {"fault": "`bwd` returns an array and not a tuple of 2"}),
        (K.DERIVATIVE_RULE, "jax.custom_jvp", {"fault": "the rule takes 3 arguments and gets 2"}),
    ],
    "JIT714": [(K.TREES, "jax.tree.map", {"difference": "`w`: a tuple against a list"})],
    "JIT801": [
        (K.DONATED, "read", {"parameter": "params", "donated": "pkg/train.py:9"}),
        (K.DONATED, "passed", {"donated": "a/package/with/a/long/path/and/deep/folders/" * 3 + "train.py:9"}),
    ],
    "JIT802": [(K.CONSTANT, "array", {"elements": "10,000,000"})],
    "JIT851": [
        (K.KEY_REUSED, "again", {"checked": "yes", "used": "pkg/a.py:9"}),
        (K.KEY_REUSED, "again", {"checked": "", "used": ""}),
        (K.KEY_REUSED, "loop", {"checked": "yes", "used": ""}),
    ],
    "JIT901": [(K.FAILS_TO_TRACE, word, {"message": MESSAGE}) for word in ("TypeError", "ValueError")],
    "JIT902": [(K.FAILS_TO_LOWER, "NotImplementedError", {"message": MESSAGE, "devices": "tpu:v5e, cpu"})],
    "JIT903": [(K.FAILS_TO_COMPILE, "JaxRuntimeError", {"message": MESSAGE, "devices": "cuda:h100"})],
    "JIT904": [(K.DOES_NOT_FIT, "", {"message": MESSAGE, "devices": "tpu:v5e"})],
    "JIT905": [(K.COMPILED_CONSTANT, "f32[2000000]", {"bytes": "8000000"})],
    "JIT906": [(K.DONATION_UNUSED, "", {"message": "Some donated buffers were not usable: float32[8]."})],
    "JIT907": [
        (K.PRECISION_LOST, "", {"message": "Explicitly requested dtype float64 requested in sum is not available, and"})
    ],
    "JIT908": [(K.DIFFERS_FROM_EAGER, "", {"difference": "1000000000000000 and -1530494976"})],
}

EACH = pytest.mark.parametrize(
    ("code", "event"),
    [
        pytest.param(code, Event(kind, PLACE, construct, detail=detail), id=f"{code}-{construct}")
        for code, cases in CASES.items()
        for kind, construct, detail in cases
    ],
)


def full(event: Event) -> Event:
    return replace(event, subject="residual", origin="argument `x` of `step`", symbol="pkg.a.step", entry=ENTRY)


def message(event: Event) -> str:
    objection = next(objections(event, Defects()), None)
    assert objection is not None
    return objection[1]


@pytest.mark.parametrize("code", [rule.code for rule in all_rules() if rule.events])
def test_a_rule_on_events_has_a_case(code: str) -> None:
    assert code in CASES


def test_cases_stand_in_the_order_of_their_codes() -> None:
    assert list(CASES) == sorted(CASES)


@EACH
def test_exactly_one_rule_objects(code: str, event: Event) -> None:
    objecting = [rule.code for rule in all_rules() if event.kind in rule.events and rule.check(event) is not None]
    assert objecting == [code]
    objection = next(objections(event, Defects()), None)
    assert objection is not None and objection[0].code == code


@EACH
@pytest.mark.parametrize("known", [True, False])
def test_messages_are_well_formed(code: str, event: Event, known: bool) -> None:
    text = message(full(event) if known else event)
    assert "; " in text and not text.endswith((".", " ", ";"))
    assert len(text) <= 220
    assert text.count("`") % 2 == 0
    assert "``" not in text and "  " not in text and " ;" not in text and " ," not in text
    assert "None" not in text or event.detail.get("given") == "None"


@EACH
def test_long_names_are_cut(code: str, event: Event) -> None:
    long = replace(full(event), subject="a_very_long_expression(\n    with, many, arguments) + " * 4)
    assert len(message(long)) <= 220 and "\n" not in message(long)


def test_reason_names_argument_and_transform() -> None:
    branch = Event(K.BOOL, PLACE, "if")
    assert message(full(branch)) == (
        "`if` needs the value of `residual`, which is traced: argument `x` of `step` under jax.jit; "
        "use jnp.where or lax.cond, or make the argument static"
    )
    assert message(branch) == "`if` needs the value of a traced value; use jnp.where or lax.cond"


def test_static_is_advised_for_arguments_of_jit_only() -> None:
    branch = full(Event(K.BOOL, PLACE, "if"))
    assert "static" not in message(replace(branch, origin="a result of jnp"))
    assert "static" not in message(replace(branch, entry=ENTRY._replace(transform="jax.vmap")))


def test_likely_findings_name_their_guess() -> None:
    array = Assumption(AssumptionKind.IS_ARRAY, "`x` is an array")
    part = Assumption(AssumptionKind.PART_IS_ARRAY, "a part of `x` is an array")
    branch = Event(K.BOOL, PLACE, "if")
    assert message(branch).endswith("lax.cond")
    assert message(replace(branch, assumptions=(array,))).endswith("lax.cond (assuming `x` is an array)")
    assert message(replace(branch, assumptions=(array, part))).endswith("lax.cond")


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (
            Event(K.INPLACE, PLACE, "item", subject="x"),
            "`x` is a JAX array and immutable, so item assignment fails; use `x = x.at[index].set(value)`",
        ),
        (
            Event(K.JIT_CREATED, PLACE, "lambda", "lambda v: v", detail={"transform": "jax.jit", "where": "loop"}),
            "jax.jit of a lambda (`lambda v: v`) in a loop compiles in each iteration; create it once before the loop",
        ),
        (
            Event(K.ITERATOR_ARGUMENT, PLACE, "iter", "iter(xs)", entry=ENTRY, detail={"parameter": "xs"}),
            "argument `xs` of `step` gets an iterator (`iter(xs)`), which cannot be traced under jax.jit; "
            "pass a list, a tuple or an array",
        ),
        (
            Event(K.CARRY, PLACE, "jax.lax.scan", detail={"difference": "rank 0 becomes 1"}),
            "the carry of `jax.lax.scan` changes in its body: rank 0 becomes 1; "
            "return it with the structure, shapes and dtypes that it starts with",
        ),
        (
            Event(K.BRANCHES, PLACE, "jax.lax.cond", detail={"difference": "int against float"}),
            "the branches of `jax.lax.cond` do not fit together: int against float; "
            "give all of them the same operands, structure, shapes and dtypes",
        ),
        (
            Event(K.PREDICATE, PLACE, "jax.lax.while_loop", detail={"given": "dtype int"}),
            "the condition of `jax.lax.while_loop` gives a value of dtype int and not a boolean scalar; "
            "compare, and reduce with jnp.any or jnp.all",
        ),
        (
            Event(K.LENGTHS, PLACE, "jax.lax.scan", detail={"difference": "one leading axis is 1 longer than another"}),
            "`jax.lax.scan` goes over arrays of different lengths: one leading axis is 1 longer than another; "
            "slice or pad them to one length",
        ),
        (
            Event(K.DONATED, PLACE, "read", "params", detail={"parameter": "params", "donated": "train.py:9"}),
            "`params` was donated as argument `params` at train.py:9, so its buffer is gone; "
            "use the result of that call, or pass it a copy",
        ),
        (
            Event(K.DONATED, PLACE, "passed", "x", detail={"parameter": "0", "donated": "pkg/a.py:12"}),
            "`x` is donated here and used here again, so its buffer is gone; "
            "bind the result to the donated name, or pass a copy",
        ),
    ],
)
def test_other_messages(event: Event, text: str) -> None:
    assert message(event) == text


def test_unknown_effects_and_places_are_left_alone() -> None:
    assert not list(objections(Event(K.EFFECT, PLACE, "f", detail={"category": "network"}), Defects()))
    assert not list(objections(Event(K.JIT_CREATED, PLACE, "lambda", detail={"where": "module"}), Defects()))


@pytest.mark.parametrize(
    ("detail", "said", "unsaid"),
    [
        ({}, "jnp.where or lax.cond, or make the argument static", "NumPy"),
        ({"given": "array"}, "jnp.where or lax.cond", "static"),
        ({"leaves": "loop"}, "lax.while_loop", "jnp.where"),
        ({"from_shape": "yes"}, "math or NumPy", "jnp.where"),
    ],
)
def test_the_remedy_is_one_that_works(detail: dict[str, str], said: str, unsaid: str) -> None:
    text = message(full(Event(K.BOOL, PLACE, "if", detail=detail)))
    assert said in text and unsaid not in text
