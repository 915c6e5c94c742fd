"""One file per upstream plugin, in upstream's words, with its reasons beside the rule."""
