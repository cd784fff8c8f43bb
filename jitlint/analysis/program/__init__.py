"""The order of things: module tops, units, what nobody calls; and the cache of results."""
