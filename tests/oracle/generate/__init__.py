"""Random clusters for the oracle: one module per kind of object, one function per family."""
