"""What a function gives: the structure, kinds and ranks of its results, as rules."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jitlint.models.rules import KINDS, UNKNOWN, promoted
from tools.ask_jax.asking import Asking
from tools.ask_jax.calling import SIDE, UNEVEN, Arr, Given, Leaf, Outcome, kind_of
from tools.ask_jax.examples import DTYPES, MIXED, Fill, flat, has_array, is_size, variants
from tools.ask_jax.facts import Facts
from tools.ask_jax.rules import Sample, kind_rule, rank_rule


def ask_result(asking: Asking, facts: Facts) -> None:
    """Finds the structure, kinds and ranks of results, and which arguments must have equal dtypes."""
    base = _samples(asking, asking.given)
    whole = {(o.structure, len(o.leaves)) for _, o in base}
    words = {leaf.word for _, o in base for leaf in o.leaves}
    facts.strict = _strict(asking)
    if words - {"array"} or len({structure for structure, _ in whole}) > 1:
        facts.result = "unknown"
        return
    fixed = len(whole) == 1 and facts.result != "array" and not (facts.result == "list" and _has_sizes(asking.given))
    seen = {name: _samples(asking, asking.with_option(name)) for name in asking.optional if _changes(asking, name)}
    seen.update(_broadcasting(asking, [name for name in asking.optional if name not in seen]))
    structures = [name for name, found in seen.items() if {(o.structure, len(o.leaves)) for _, o in found} != whole]
    if facts.result == "tuple" and not fixed:
        facts.result = "arrays"
    parts: list[int | None] = list(range(len(base[0][1].leaves))) if fixed else [None]
    facts.result += "".join(f", {name}: {UNKNOWN}" for name in structures)
    same = {name: found for name, found in seen.items() if name not in structures}
    facts.dtype = _joined(_rules(asking, base, same, i, _kind_rule, lambda leaf: leaf.kind) for i in parts)
    facts.rank = _joined(_rules(asking, base, same, i, _rank_rule, lambda leaf: leaf.rank) for i in parts)


def _joined(rules: Iterator[str]) -> str:
    found = list(rules)
    return "" if set(found) == {UNKNOWN} else "; ".join(found)


_Seen = list[tuple[dict[str, Any], Outcome]]


def _rules(
    asking: Asking,
    base: _Seen,
    variants: dict[str, _Seen],
    index: int | None,
    rule: Callable[..., str],
    part: Callable[..., Any],
) -> str:
    """The rule for one leaf of the result, and the rules that hold when an optional argument is given."""
    first = rule(asking, base, index, part)
    words = [first]
    found = {name: rule(asking, seen, index, part) for name, seen in variants.items()}
    found = {name: word for name, word in found.items() if word != first}
    for name in _in_order(asking, found, index, part):
        words.append(f"{name}: {found[name]}")
    return ", ".join(words)


def _in_order(asking: Asking, found: dict[str, str], index: int | None, part: Callable[..., Any]) -> list[str]:
    """Options in the order in which the last one given decides; those of no order become unknown."""
    names = sorted(found)
    for left, right in itertools.combinations(sorted(found), 2):
        if UNKNOWN in (found[left], found[right]) or found[left] == found[right]:
            continue
        examples = {name: asking.optional[name] for name in (left, right)}
        both = asking.outcome(asking.given.changed(**examples))
        if not both.ok or not _chosen(both, index):
            continue
        single = {name: asking.outcome(asking.with_option(name)) for name in (left, right)}
        results = {name: part(_chosen(o, index)[0]) for name, o in single.items() if o.ok}
        got = part(_chosen(both, index)[0])
        if results.get(left) == results.get(right):
            continue
        if got == results.get(left):
            if names.index(left) < names.index(right):
                names.remove(left)
                names.insert(names.index(right) + 1, left)
        elif got != results.get(right):
            found[left] = found[right] = UNKNOWN
    return [n for n in names if found[n] != UNKNOWN] + [n for n in names if found[n] == UNKNOWN]


def _samples(asking: Asking, given: Given) -> _Seen:
    """Calls with other kinds, ranks, sizes and dtypes, as far as they work, and what they gave."""
    fills = [asking.usual, *_other_fills(asking, given)]
    calls = [(given, fill) for fill in fills]
    for name, value in given.examples.items():
        calls.extend((given.changed(**{name: other}), asking.usual) for other in variants(value))
    found = [(call, fill, asking.outcome(call, fill)) for call, fill in calls]
    return [
        ({name: _facts(fill.filled(name, value)) for name, value in call.examples.items()}, outcome)
        for call, fill, outcome in found
        if outcome.ok
    ]


def _other_fills(asking: Asking, given: Given) -> Iterator[Fill]:
    usual = asking.usual
    kind, rank = usual.kind, usual.rank
    yield from (Fill(other, rank) for other in KINDS if other != kind)
    yield from (Fill(kind, other) for other in range(5) if other != rank)
    arrays = [name for name, value in given.examples.items() if has_array(value)]
    for name in arrays if len(arrays) > 1 else ():
        for here, there in (("float", "int"), ("int", "float"), ("complex", "float")):
            yield Fill(there, rank, single=(name, here, rank))
        yield from (Fill(kind, rank, single=(name, kind, other)) for other in (rank - 1, rank + 1) if other >= 0)
    yield Fill(kind, rank, UNEVEN)
    if asking.first.structure == "tuple":
        yield Fill(kind, rank, SIDE - 1)
    yield from (
        Fill("float", rank, single=(name, MIXED, rank)) for name in arrays if not isinstance(given.examples[name], Arr)
    )


def _facts(filled: Any) -> dict[str, Any]:
    """The kind and rank of an argument; the length of a size."""
    if has_array(filled):
        parts = [part for part in flat(filled) if isinstance(part, Arr)]
        kinds = [part.kind for part in parts if part.kind in KINDS]
        kind = promoted(kinds) if kinds else parts[0].kind
        return {"kind": kind, "rank": parts[0].rank, "shape": parts[0].shape}
    if type(filled) is int:
        return {"size": 1}
    if type(filled) is tuple:
        return {"size": len(filled)}
    return {"dtype": kind_of(filled)} if filled in DTYPES else {}


def _chosen(outcome: Outcome, index: int | None) -> tuple[Leaf, ...]:
    """One leaf of a result, or all."""
    return outcome.leaves if index is None else outcome.leaves[index : index + 1]


def _has_sizes(given: Given) -> bool:
    """Whether an example is a tuple of numbers."""
    return any(type(value) is tuple and value and not has_array(value) for value in given.examples.values())


def _kind_rule(asking: Asking, seen: _Seen, index: int | None, part: Callable[..., Any]) -> str:
    samples: list[Sample] = []
    for facts, outcome in seen:
        kinds = {n: f.get("kind", f.get("dtype")) for n, f in facts.items() if "kind" in f or "dtype" in f}
        samples.extend(Sample(kinds, part(leaf), {}, ()) for leaf in _chosen(outcome, index))
    arrays = [n for n, f in seen[0][0].items() if "kind" in f]
    return kind_rule(samples, arrays, [n for n, f in seen[0][0].items() if "dtype" in f])


def _rank_rule(asking: Asking, seen: _Seen, index: int | None, part: Callable[..., Any]) -> str:
    samples: list[Sample] = []
    for facts, outcome in seen:
        ranks = {n: f["rank"] for n, f in facts.items() if "rank" in f}
        ranks |= {f"len({n})": f["size"] for n, f in facts.items() if "size" in f}
        shapes = {n: f["shape"] for n, f in facts.items() if "shape" in f}
        samples.extend(Sample(ranks, part(leaf), shapes, leaf.shape) for leaf in _chosen(outcome, index))
    arrays = [n for n, f in seen[0][0].items() if "kind" in f]
    sizes = [f"len({n})" for n, f in seen[0][0].items() if "size" in f]
    rule = rank_rule(samples, arrays, sizes)
    return UNKNOWN if rule.isdigit() and not _is_varied(asking.given, samples) else rule


def _is_varied(given: Given, samples: Sequence[Sample]) -> bool:
    """Whether the examples left ranks and sizes free, so that a rank that was always the same means something."""
    for name, example in given.examples.items():
        fixed = [part for part in flat(example) if isinstance(part, Arr) and (part.rank or part.shape or part.side)]
        lengths = {sample.arguments.get(f"len({name})") for sample in samples}
        if fixed or (is_size(example) and len(lengths) == 1):
            return False
    return True


def _changes(asking: Asking, option: str) -> bool:
    """Whether an option makes a difference to structure, kinds or ranks, or to what is refused."""
    kind, rank = asking.usual.kind, asking.usual.rank
    given = asking.with_option(option)
    fills = [Fill(other, rank) for other in KINDS] + [Fill(kind, other) for other in (1, 3)]
    if len(asking.arrays) > 1:
        fills += [Fill(kind, rank, single=(name, kind, rank + 1)) for name in asking.arrays]
    for fill in fills:
        plain, optional = asking.outcome(asking.given, fill), asking.outcome(given, fill)
        if optional.ok and (not plain.ok or _outline(plain) != _outline(optional)):
            return True
    found = (asking.outcome(given.changed(**{option: other})) for other in variants(asking.optional[option]))
    return any(_outline(outcome) != _outline(asking.first) for outcome in found if outcome.ok)


def _broadcasting(asking: Asking, options: Sequence[str]) -> Iterator[tuple[str, _Seen]]:
    """Calls with options that matter only by their rank: arrays to which the result is broadcast."""
    for option in options:
        if has_array(asking.optional[option]):
            found = _samples(asking, asking.with_option(option))
            word, _, names = _rank_rule(asking, found, None, lambda leaf: leaf.rank).partition("(")
            if word == "like" and option in names.removesuffix(")").split(", "):
                yield option, found


def _outline(outcome: Outcome) -> tuple[Any, ...]:
    return (outcome.structure, *((leaf.word, leaf.kind, leaf.rank) for leaf in outcome.leaves))


def _strict(asking: Asking) -> str:
    """The arguments that must have equal dtypes."""
    names, rank = asking.arrays, asking.usual.rank
    if len(names) < 2 or not all(asking.outcome(asking.given, Fill(kind, rank)).ok for kind in ("float", "int")):
        return ""
    pairs = (("float", "int"), ("int", "float"))
    fills = {name: [Fill(there, rank, single=(name, here, rank)) for here, there in pairs] for name in names}
    refused = [name for name in names if not any(asking.outcome(asking.given, fill).ok for fill in fills[name])]
    return ", ".join(refused) if len(refused) > 1 else ""
