"""A report as text, JSON, YAML. Knows no plugin: what a rule says comes with the report."""
