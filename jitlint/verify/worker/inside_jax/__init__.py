"""What jitlint knows of JAX's inside: tracers, failures, devices, the stages of compiling."""
