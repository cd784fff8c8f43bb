"""What transforms do: `transforms.py` applies jit, vmap, grad … to a function and calls the result; start there.

A call passes a border. `arguments.py` decides which arguments become tracers, `borders.py` changes values as they pass,
`traced_call.py` runs the function under the trace. Around a call stand the checks: the folder `cache`
(what defeats the compile cache, and compiled functions that code keeps), `varying.py` (which variables differ from
round to round), `donation.py` (buffers given away), `structures.py` (what structured control flow must keep),
`derivatives.py` (rules of custom_jvp and custom_vjp).
"""
