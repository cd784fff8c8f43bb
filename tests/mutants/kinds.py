"""What is injected, kind by kind."""

from __future__ import annotations

from tests.mutants.structured import STRUCTURED
from tests.mutants.templates import Kind, each

KINDS = {
    "if": Kind(
        ("JIT101",),
        each(
            "if <v> > 0:\n    <x> = <x> * 1",
            "if not <v>:\n    raise ValueError('zero')",
            "if jnp.any(<a> > 1e9):\n    raise ValueError('too large')",
            "if jnp.isnan(<v>):\n    <x> = jnp.zeros_like(<x>)",
            "if <x>.ndim > 7:\n    pass\nelif <v> < 1:\n    pass",
            "if <n> == 0:\n    pass",
        ),
        each(
            "if <d> > 0:\n    <x> = <x> * 1",
            "if <x> is None:\n    raise ValueError('none')",
            "if isinstance(<x>, tuple):\n    raise ValueError('tuple')",
            "if <x>.ndim == 9:\n    raise ValueError('rank')",
            "if <x>.dtype == jnp.float16:\n    <x> = <x>.astype(jnp.float32)",
            "if hasattr(<x>, 'shape') and len(<x>.shape) > 7:\n    raise ValueError('rank')",
            "if jnp.issubdtype(<x>.dtype, jnp.complexfloating):\n    <x> = <x>.real",
            "if <x>.shape != jnp.shape(<x>):\n    raise ValueError('shape')",
        ),
    ),
    "while": Kind(
        ("JIT102",),
        each("while <v> > 1e9:\n    <x> = <x> / 2", "count_ = <n>\nwhile count_ > 0:\n    count_ = count_ - 1"),
        each("count_ = <d>\nwhile count_ > 0:\n    count_ -= 1", "while <x>.ndim < 0:\n    <x> = <x>[None]"),
    ),
    "assert": Kind(
        ("JIT103",),
        each("assert <v> > -1e9", "assert jnp.all(<a> == <a>), 'not a number'", "assert jnp.isfinite(<v>)"),
        each("assert <d> >= 0", "assert <x>.ndim >= 0 and <x> is not None", "assert <x>.shape == jnp.shape(<x>)"),
    ),
    "ternary": Kind(
        ("JIT104",),
        each(
            "<x> = <x> if <v> > 0 else -<x>", "sign_ = 1.0 if <n> > 0 else -1.0", "best_ = 1 if jnp.all(<a> > 0) else 2"
        ),
        each(
            "<x> = <x> if <d> >= 0 else -<x>",
            "<x> = jnp.where(<v> > 0, <x>, <x>)",
            "name_ = 'none' if <x> is None else 'x'",
        ),
    ),
    "boolean operator": Kind(
        ("JIT105",),
        each("ok_ = <v> > 0 and <v> < 1", "ok_ = not <v> > 0", "low_ = <n> < 0 or <n> > 9", "<x> = <x> * (<v> or 1.0)"),
        each(
            "ok_ = (<v> > 0) & (<v> < 1)",
            "ok_ = <d> > 0 and <v> < 1",
            "ok_ = not <d>",
            "ok_ = <x> is None or <x>.ndim > 0",
        ),
    ),
    "chained comparison": Kind(
        ("JIT106",),
        each("inside_ = 0 < <v> < 1", "inside_ = -1 <= <n> <= <d>"),
        each("inside_ = 0 <= <d> < 100", "same_ = <x>.shape == jnp.shape(<x>) == <x>.shape"),
    ),
    "comprehension filter": Kind(
        ("JIT107",),
        each(
            "kept_ = [item_ for item_ in <a> if jnp.sum(item_) > 0]",
            "kept_ = {at_: 1 for at_ in range(3) if at_ < <n>}",
        ),
        each("kept_ = [item_ for item_ in <a> if item_ is not None]", "kept_ = [at_ for at_ in range(3) if at_ < <d>]"),
    ),
    "membership": Kind(
        ("JIT108",),
        each("known_ = <v> in (1.0, 2.0)", "known_ = <n> in [0, 1]"),
        each("known_ = <d> in (1, 2)", "known_ = <x>.dtype in (jnp.float32, jnp.int32)", "known_ = 'b' in {'a': <v>}"),
    ),
    "range": Kind(
        ("JIT109",),
        each("for at_ in range(<n>):\n    <x> = <x> * 1", "steps_ = list(range(0, <n>, 2))"),
        each("for at_ in range(<d>):\n    <x> = <x> * 1", "for at_ in range(len(<x>.shape)):\n    <x> = <x> * 1"),
    ),
    "deciding builtin": Kind(
        ("JIT110",),
        each(
            "<x> = <x> * max(<v>, 0.0)",
            "ordered_ = sorted([<v>, 1.0])",
            "ok_ = any(<a>.ravel() > 0)",
            "ok_ = all([<v> > 0, <v> < 1])",
            "least_ = min(<v>, <v> + 1)",
            "kept_ = list(filter(lambda item_: item_ > 0, [<v>]))",
        ),
        each(
            "<x> = jnp.maximum(<x>, <x>)",
            "largest_ = max(<d>, 1)",
            "total_ = sum(<a>)",
            "ordered_ = sorted({'b': <v>, 'a': <v>})",
            "ok_ = any(size_ > 9 for size_ in <x>.shape)",
            "largest_ = max([<v>], key=lambda item_: item_.ndim)",
        ),
    ),
    "match": Kind(
        ("JIT111",),
        each("match <n>:\n    case 0:\n        <x> = <x> * 1\n    case _:\n        pass"),
        each(
            "match <d>:\n    case 0:\n        <x> = <x> * 1\n    case _:\n        pass",
            "match (<v>, 1):\n    case (left_, right_):\n        <x> = <x> * right_\n    case _:\n        pass",
        ),
    ),
    "jnp on shape": Kind(
        ("JIT201", "JIT202"),
        each(
            "total_ = jnp.prod(jnp.array(<x>.shape))\nflat_ = jnp.zeros(total_)",
            "half_ = jnp.floor_divide(<d>, 2)\nrow_ = jnp.arange(half_)",
            "for at_ in range(jnp.asarray(<d>)):\n    pass",
            "<x> = <x>.reshape(jnp.prod(jnp.asarray(<x>.shape)))",
        ),
        each(
            "total_ = math.prod(<x>.shape)\nflat_ = jnp.zeros(total_)",
            "scale_ = 1 / jnp.sqrt(<d> + 1)\n<x> = <x> * scale_",
            "total_ = int(np.prod(<x>.shape))\nflat_ = jnp.ones((total_, 1))",
        ),
    ),
    "traced size": Kind(
        ("JIT202",),
        each(
            "row_ = jnp.zeros(<n>)",
            "row_ = jnp.arange(<n>)",
            "row_ = jnp.ones((<n>, 2))",
            "row_ = jnp.linspace(0.0, 1.0, <n>)",
            "row_ = jnp.ravel(<a>).reshape(<n>, -1)",
            "row_ = jnp.tile(<a>, <n>)",
            "row_ = jnp.eye(<n>)",
            "row_ = jnp.repeat(<a>, <n>)",
            "row_ = jax.nn.one_hot(jnp.array([0]), <n>)",
            "row_ = jnp.sum(<a>, axis=<n>)",
            "row_ = jnp.broadcast_to(<v>, (<n>,))",
        ),
        each(
            "row_ = jnp.zeros(<d>)",
            "row_ = jnp.arange(<a>.size)",
            "row_ = jnp.zeros_like(<a>)",
            "row_ = jnp.full((<d>, 2), <v>)",
            "row_ = jnp.reshape(<a>, -1)",
            "row_ = jnp.sum(<a>, axis=<x>.ndim - <x>.ndim)",
            "row_ = jnp.linspace(0.0, <v>, 5)",
            "row_ = jnp.roll(<a>, <n>)",
        ),
    ),
    "boolean mask": Kind(
        ("JIT203",),
        each("kept_ = <a>[<a> > 0]", "mask_ = <a> != 0\ntotal_ = <a>[mask_].sum()", "kept_ = <a>[~(<a> < 0)]"),
        each("kept_ = jnp.where(<a> > 0, <a>, 0)", "kept_ = <a>[None]", "kept_ = <a> * (<a> > 0)", "row_ = <a>[<n>]"),
    ),
    "data-dependent shape": Kind(
        ("JIT204",),
        each(
            "found_ = jnp.nonzero(<a>)",
            "found_ = jnp.unique(<a>)",
            "found_ = jnp.where(<a> > 0)",
            "found_ = jnp.argwhere(<a>)",
            "found_ = jnp.flatnonzero(<a>)",
            "found_ = <a>.nonzero()",
        ),
        each(
            "found_ = jnp.nonzero(<a>, size=2)",
            "found_ = jnp.unique(<a>, size=2)",
            "found_ = jnp.where(<a> > 0, 1, 0)",
            "found_ = jnp.sort(<a>)",
            "found_ = jnp.count_nonzero(<a>)",
        ),
    ),
    "slice bound": Kind(
        ("JIT205",),
        each("head_ = <a>[:<n>]", "tail_ = <a>[<n>:]", "part_ = <a>[<n>:<n> + 1]", "step_ = <a>[::<n>]"),
        each(
            "head_ = <a>[:<d>]",
            "row_ = <a>[<n>]",
            "head_ = <a>[: <a>.shape[0] // 2]",
            "part_ = jax.lax.dynamic_slice_in_dim(<a>, <n>, 1)",
        ),
    ),
    "number conversion": Kind(
        ("JIT301",),
        each(
            "<x> = <x> * float(<v>)",
            "count_ = int(<n>)",
            "flag_ = bool(<v> > 0)",
            "z_ = complex(<v>)",
            "whole_ = round(float(<v>))",
        ),
        each(
            "<x> = <x> * float(<d>)",
            "count_ = int(<x>.ndim)",
            "flag_ = bool(<x>.shape)",
            "near_ = round(<v>, 2)",
            "size_ = abs(<v>)",
        ),
    ),
    "array to Python": Kind(
        ("JIT302",),
        each("number_ = <v>.item()", "numbers_ = <a>.tolist()", "whole_ = <n>.item() + 1"),
        each(
            "numbers_ = np.array(<x>.shape).tolist()", "width_ = <x>.dtype.itemsize", "number_ = np.float32(<d>).item()"
        ),
    ),
    "numpy": Kind(
        ("JIT303",),
        each(
            "size_ = np.abs(<v>)",
            "root_ = np.sqrt(<v>)",
            "host_ = np.asarray(<a>)",
            "kept_ = np.clip(<a>, 0, 1)",
            "length_ = np.linalg.norm(<a>)",
            "host_ = np.array([<v>, 1.0])",
            "both_ = np.where(<a> > 0, 1, 0)",
            "stack_ = np.stack([<a>, <a>])",
        ),
        each(
            "total_ = np.prod(<x>.shape)",
            "root_ = np.sqrt(<d>)",
            "shape_ = np.shape(<a>)",
            "total_ = np.sum(<a>)",
            "rank_ = np.ndim(<a>)",
            "<x> = <x> * np.float32(2)",
            "<x> = <x> + np.zeros(())",
        ),
    ),
    "math": Kind(
        ("JIT304",),
        each("root_ = math.sqrt(<v>)", "power_ = math.exp(<v>)", "whole_ = math.floor(<v>)", "bad_ = math.isnan(<v>)"),
        each(
            "total_ = math.prod(<x>.shape)",
            "root_ = math.sqrt(<d>)",
            "<x> = <x> * math.pi",
            "whole_ = math.ceil(<d> / 2)",
        ),
    ),
    "list index": Kind(
        ("JIT305",),
        each("pick_ = [1.0, 2.0, 3.0][<n>]", "pick_ = (<x>, <x>)[<n>]", "letter_ = 'abc'[<n>]"),
        each(
            "pick_ = jnp.array([1.0, 2.0, 3.0])[<n>]",
            "pick_ = [<x>, <x>][<x>.ndim - <x>.ndim]",
            "row_ = <x>.shape[-1:]",
        ),
    ),
    "hash": Kind(
        ("JIT306",),
        each(
            "pick_ = {0: 1.0}.get(<n>, 2.0)",
            "seen_ = {<v>}",
            "table_ = {<n>: 1}",
            "code_ = hash(<v>)",
            "table_ = {}\ntable_[<n>] = 1",
        ),
        each(
            "pick_ = {0: 1.0}.get(<d>, 2.0)",
            "table_ = {'v': <v>}",
            "seen_ = {<x>.shape}",
            "code_ = id(<v>)",
            "table_ = {}\ntable_['n'] = <n>",
        ),
    ),
    "format": Kind(
        ("JIT307",),
        each(
            "text_ = f'{<v>:.2f}'", "text_ = '%.2f' % <v>", "text_ = '{:.3e}'.format(<v>)", "text_ = format(<n>, 'd')"
        ),
        each(
            "text_ = f'{<v>}'",
            "text_ = f'{<d>:d}'",
            "text_ = str(<x>.shape)",
            "text_ = '%s' % <v>",
            "text_ = repr(<v>)",
        ),
    ),
    "host method": Kind(
        ("JIT308",),
        each("<a>.block_until_ready()", "places_ = <a>.devices()"),
        each("kind_ = <a>.dtype", "turned_ = <a>.T", "jax.block_until_ready(<a>)"),
    ),
    "output": Kind(
        ("JIT504",),
        each("print(<v>)", "print('step', <x>.shape)", "logging.info('value %s', <v>)", silent="once"),
        each("jax.debug.print('{}', <v>)", "text_ = 'printed ' + str(<d>)", "if False:\n    print(<v>)"),
    ),
    "clock": Kind(
        ("JIT505",),
        each(
            "<x> = <x> + time.time()", "began_ = time.perf_counter()", "home_ = os.environ.get('HOME')", silent="once"
        ),
        each("<x> = <x> + len(time.tzname) * 0", "path_ = os.path.join('a', 'b')"),
    ),
    "host random": Kind(
        ("JIT506",),
        each(
            "<x> = <x> * random.random()", "<x> = <x> + np.random.normal()", "at_ = np.random.randint(3)", silent="once"
        ),
        each(
            "<x> = <x> + jax.random.normal(jax.random.PRNGKey(0))",
            "noise_ = jax.random.uniform(jax.random.key(1), (2,))",
        ),
    ),
    "leak": Kind(
        ("JIT503", "JIT502"),
        (
            *each("history_.append(<v>)", "history_.extend([<v>])", module=("history_ = []",), silent="once"),
            *each("latest_['value'] = <v>", "latest_.update(value=<v>)", module=("latest_ = {}",), silent="once"),
            *each("class_.value = <v>", module=("class class_:", "    value = None"), silent="once"),
        ),
        (
            *each(
                "history_ = []\nhistory_.append(<v>)",
                "latest_ = {}\nlatest_['value'] = <v>",
                "total_ = 0\ntotal_ += <v>",
            ),
            *each("copied_ = list(history_)\ncopied_.append(<v>)", module=("history_ = [1.0, 2.0]",)),
        ),
    ),
    "global write": Kind(
        ("JIT502", "JIT503"),
        each(
            "store_(<v>)",
            module=("latest_ = None", "", "", "def store_(value):", "    global latest_", "    latest_ = value"),
            silent="once",
        )
        + each(
            "count_()",
            module=("calls_ = 0", "", "", "def count_():", "    global calls_", "    calls_ += 1"),
            silent="once",
        ),
        each("store_(<v>)", module=("def store_(value):", "    latest = value", "    return latest")),
    ),
    "stale global": Kind(
        ("JIT501",),
        each("<x> = <x> * scale_", module=("scale_ = 2.0",), driver=("scale_ = 3.0",), silent="stale")
        + each(
            "<x> = <x> * options_['scale']",
            module=("options_ = {'scale': 2.0}",),
            driver=("options_['scale'] = 3.0",),
            silent="stale",
        )
        + each(
            "for step_ in steps_:\n    <x> = <x> * step_",
            module=("steps_ = [2.0]",),
            driver=("steps_.append(3.0)",),
            silent="stale",
        ),
        each("<x> = <x> * scale_", module=("scale_ = 2.0",))
        + each("<x> = <x> * options_['scale']", module=("options_ = {'scale': 2.0}",))
        + each("for step_ in steps_:\n    <x> = <x> * step_", module=("steps_ = [2.0]", "steps_.append(1.0)")),
    ),
    "in-place": Kind(
        ("JIT507",),
        each(
            "<a>[0] = 0",
            "copy_ = <a> * 2\ncopy_[0] = 1.0",
            "copy_ = <a> + 1\ncopy_[...] += 1",
            "copy_ = jnp.zeros_like(<a>)\ndel copy_[0]",
        ),
        each(
            "copy_ = <a>.at[0].set(0)\n<x> = <x> + 0 * copy_[0]",
            "host_ = np.zeros(3)\nhost_[0] = 1.0",
            "<x> += 0",
            "items_ = [<v>]\nitems_[0] = 1.0",
        ),
    ),
    "outer iterator": Kind(
        ("JIT602",),
        each("<x> = <x> * next(items_)", module=("items_ = iter([1.0] * 99)",), silent="once"),
        each(
            "<x> = <x> * next(iter([1.0, 2.0]))",
            "items_ = iter([1.0])\n<x> = <x> * next(items_)",
            "for item_ in zip([1.0], [2.0]):\n    <x> = <x> * item_[0]",
        ),
    ),
    "operand dtypes": Kind(
        ("JIT701",),
        each(
            "sum_ = jax.lax.add(jnp.float32(1), jnp.int32(2))",
            "sum_ = jax.lax.mul(<x>.astype(jnp.float16), <x>.astype(jnp.float32))",
        ),
        each(
            "sum_ = jax.lax.add(jnp.float32(1), jnp.float32(2))",
            "sum_ = <x>.astype(jnp.float16) + <x>.astype(jnp.float32)",
        ),
    ),
    **STRUCTURED,
}
