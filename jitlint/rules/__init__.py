"""What jitlint objects to. One rule, one module, in its family's folder; `registry` finds them."""
