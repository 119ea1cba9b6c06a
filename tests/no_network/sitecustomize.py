"""Python imports this as it starts, in all processes that tests start, since the folder is on their PYTHONPATH."""

import refuse_network  # noqa: F401, imported for its effect
