"""What transforms do: arguments become tracers, results come back, caches are keyed, buffers are donated."""
