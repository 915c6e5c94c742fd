"""CI gate: what would go wrong if these manifests were applied."""
