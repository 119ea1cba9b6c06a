"""Values of a config in words: settings, and how results were measured, ours beside the print's."""

from collections.abc import Mapping
from typing import Any

#: What is shown where there is nothing.
NOTHING = "–"


def describe(value: Any) -> str:
    """Return a config value as text for readers: ``N = 1, 2, 4; C = 1, 10``; a dash for nothing."""
    if value is None or value in ({}, [], ""):
        return NOTHING
    if isinstance(value, Mapping):
        return "; ".join(f"{key} = {describe(entry)}" for key, entry in value.items())
    if isinstance(value, (list, tuple)):
        return ", ".join(map(describe, value))
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe_protocol(protocol: Mapping[str, Any] | str) -> str:
    """Return the protocol as a sentence."""
    if isinstance(protocol, str):
        return protocol
    kind = protocol.get("kind")
    if kind == "repeated_kfold":
        repeats = protocol.get("n_repeats", 1)
        times = "" if repeats == 1 else f", repeated {repeats} times"
        return f"Stratified {protocol.get('n_splits')}-fold cross-validation{times}; error bars are over the folds."
    if kind == "designated":
        return "Each data set's designated test set; error bars of error rates are binomial."
    if kind == "random_percentage":
        splits = f"{protocol.get('n_repeats')} random splits, {protocol.get('test_percent')} % of the rows for testing"
        return f"{splits}; error bars are over the splits."
    if kind == "train_validation_test":
        shares = " / ".join(f"{share:g}" for share in protocol.get("percent", ()))
        splits = f"{protocol.get('n_repeats')} random splits of each class into training, validation and test rows"
        return f"{splits} ({shares} %); the validation rows choose; error bars are over the splits."
    return describe(protocol)


def compared_protocols(ours: Mapping[str, Any] | str, printed: str | None) -> str:
    """Return what a comparison says of the protocols behind it; nothing where the print's is not known."""
    return f"Print: {printed}. Ours: {_small(describe_protocol(ours))}" if printed else ""


def _small(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
