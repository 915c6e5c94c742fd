"""Recording on a real control plane; not part of the tests that `make test` runs."""
