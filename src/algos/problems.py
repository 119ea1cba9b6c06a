"""What cannot be used as it is: collected, so that one bad image does not end a run, or raised at once."""

from algos.exceptions import InputError


class Problems:
    """Sentences about input that cannot be used.

    Parameters
    ----------
    on_error : {"skip", "raise"}
        Whether a problem is collected, or raised as an InputError.

    Attributes
    ----------
    sentences : list of str
        What was collected.

    Raises
    ------
    InputError
        When `on_error` is neither.
    """

    def __init__(self, on_error: str) -> None:
        if on_error not in ("skip", "raise"):
            raise InputError(f"on_error is {on_error!r}; give 'skip' or 'raise'")
        self.sentences: list[str] = []
        self._raise = on_error == "raise"

    def add(self, sentence: str, outcome: str) -> None:
        """Note a problem and what is done about it, or raise it with that as the way round."""
        if self._raise:
            raise InputError(f"{sentence}; mend it, or set on_error: skip, by which {outcome}")
        self.sentences.append(f"{sentence}: {outcome}")
