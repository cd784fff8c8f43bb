"""What transforms do: `transforms.py` applies jit, vmap, grad … to a function and calls the result; start there.

A call passes a border. `arguments.py` decides which arguments become tracers, `borders.py` changes values as they pass,
`traced_call.py` runs the function under the trace. Around a call stand the checks: `cache_keys.py` and `freshness.py`
(what defeats the compile cache), `own_programs.py` (where it has to be defeated, since variables differ from round to
round: `varying.py`), `donation.py` (buffers given away), `structures.py` (what structured control flow must keep),
`derivatives.py` (rules of custom_jvp and custom_vjp).
"""
