"""A fuzzer of the package: calls and sequences of calls, drawn from a seed, and what must hold whatever is drawn."""
