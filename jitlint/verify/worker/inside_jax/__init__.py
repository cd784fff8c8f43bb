"""All that we know of JAX's inside: tracers, failures, devices, the way from a function to a compiled program."""
