"""JIT0: what jitlint says about its own work. No event leads to these: the programs around the rules report them."""
