"""One function per question: the only place where the layers below are combined."""
