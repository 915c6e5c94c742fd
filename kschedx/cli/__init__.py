"""One file per command: parse the options, ask one answer, render it, choose the exit code.

Importing a command must be cheap: kubernetes, yaml, msgspec and rich are imported inside functions.
"""
