"""What a user's input can do wrong, as a value that the command line turns into two lines.

An expected failure is data: it has a code for ever, one sentence with the place, and what to do.
Any other exception that reaches the command line is a fault of kschedx itself.
"""

EXIT_INPUT_UNUSABLE = 3


class KschedxError(Exception):
    """Input that cannot be used: no file, not JSON, no such pod, API unreachable, forbidden.

    code: names the cause, kebab-case, stable.
    message: one sentence with the place (file, line, object), without a full stop.
    hint: what the user can do, or None.
    exit_code: what the process ends with.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        hint: str | None = None,
        exit_code: int = EXIT_INPUT_UNUSABLE,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.exit_code = exit_code
