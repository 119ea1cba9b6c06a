"""Errors a user can mend."""


class InputError(ValueError):
    """A mistake in what the user gave: the message is one sentence that says what, where and how to mend it."""
