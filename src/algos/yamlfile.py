"""Reading the YAML files of a user: configs and the registry of data sets."""

import os
import sys
from pathlib import Path
from typing import Any

from algos.exceptions import InputError


def read_yaml(path: str | os.PathLike) -> dict[str, Any]:
    """Read a YAML file that holds a mapping; a key that stands twice is refused.

    Raises
    ------
    InputError
        When the file is missing, is not YAML, or repeats a key.
    """
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # compiled where PyYAML has it: ten times faster
        """YAML's own rule lets the later of two equal keys win in silence."""

        def construct_mapping(self, node, deep=False):
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            for key in keys:
                if keys.count(key) > 1:
                    raise InputError(f"{path}, line {node.start_mark.line + 1}: the key {key!r} stands twice")
            return super().construct_mapping(node, deep)

    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader)
    except FileNotFoundError:
        raise InputError(f"there is no file {path}") from None
    except OSError as error:
        raise InputError(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = " ".join(str(getattr(error, "problem", error)).split())
        if "yaml.org,2002:merge" in problem:
            raise InputError(
                f"{path}{line}: '<<' is not taken here; write the keys out, or a whole mapping as *its_anchor"
            ) from None
        raise InputError(f"{path}{line}: not valid YAML ({problem})") from None
    except InputError:
        raise
    except ValueError as error:  # a date or number that there is not, such as 2001-99-99
        raise InputError(f"{path}: holds a value that cannot be read ({error}); put it in quotes") from None
    except RecursionError:
        raise InputError(f"{path}: its lists and mappings lie too deep in one another") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: holds no 'key: value' lines")
    return content


if __name__ == "__main__":  # python -m algos.yamlfile FILE ...: says in one sentence what keeps a file from being read
    try:
        for file in sys.argv[1:]:
            read_yaml(file)
    except InputError as mistake:
        sys.exit(f"Error: {mistake}")
