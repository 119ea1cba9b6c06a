"""Which source files a method's results depend on, found without importing anything.

Snakemake sees a rule's inputs, parameters and script, not the modules that the script imports. So each rule takes as
input a list of the files found here with their checksums, and an edit of one method's module reruns that method and
nothing else.
"""

import ast
import hashlib
import importlib.util
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path

from algos.exceptions import InputError
from algos.files import atomic_write

PACKAGE = "algos"
KERNEL_CONSTANT = "KERNEL_SOURCES"

# The registry of methods names all methods, so that a line added for one would rerun all others. What it says of a
# method reaches a training rule as parameters (`config.Experiment.method_settings`) and by the method's own module.
REGISTRY = "algos.experiments.methods"


def import_closure(modules: Iterable[str], root: str | Path, without: Collection[str] = ()) -> list[Path]:
    """Return the files of some modules and of all that they import inside the package.

    Import statements are followed wherever they stand, also inside functions. The ``__init__`` of a parent package
    is left out unless a name is imported from it: it only lists public names (`algos._lazy`). A module may name
    files that are compiled into it in a constant ``KERNEL_SOURCES``, relative to its own folder.

    Parameters
    ----------
    modules : iterable of str
        Dotted names. Those outside the package are passed over.
    root : path-like
        The folder that holds the package, e.g. ``src``.
    without : collection of str
        Modules to leave out, with whatever only they import.

    Returns
    -------
    list of pathlib.Path
        Sorted, each beginning with `root`.

    Raises
    ------
    InputError
        When a module of the package has no file, or a name is imported from a package that hands it out lazily, so
        that the file behind it cannot be known.
    """
    root = Path(root)
    found: set[Path] = set()
    seen = set(without)
    waiting = [name for name in modules if _inside(name)]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        path = _file_of(name, root)
        if path is None:
            raise InputError(f"module {name} has no file under {root / PACKAGE}")
        text = path.read_text(encoding="utf-8")
        found.add(path)
        found.update(_kernel_sources(text, path))
        waiting.extend(_imports(name, text, path, root))
    return sorted(found)


def method_sources(modules: Iterable[str], root: str | Path) -> list[Path]:
    """Return the files that a fold's numbers depend on: the method's own and those of selection and training.

    Parameters
    ----------
    modules : iterable of str
        Where the method's estimator (`algos.experiments.methods.Method.module`) and the features it asks for live.
    root : path-like
        The folder that holds the package.
    """
    return import_closure([*modules, "algos.experiments.training"], root, without={REGISTRY})


def write_code_list(files: Iterable[Path], folder: str | Path) -> Path:
    """Write down source files with their checksums; return the list, whose name follows from what it says.

    One input in place of dozens: with thousands of jobs Snakemake's planning takes as long as there are inputs. Other
    content has another name, so a list is never changed, and that of an edit that is taken back is there already.

    Parameters
    ----------
    files : iterable of pathlib.Path
    folder : path-like

    Raises
    ------
    InputError
        When the folder cannot be written.
    """
    text = "".join(f"{_checksum(path)}  {path.as_posix()}\n" for path in sorted(files))
    path = Path(folder) / f"{hashlib.sha256(text.encode()).hexdigest()[:20]}.txt"
    if not path.is_file():
        try:
            with atomic_write(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(f"{folder} cannot be written ({error.strerror}); make it writable") from None
    return path


@cache
def _checksum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def constructor_parameters(module: str, class_name: str, root: str | Path) -> list[str]:
    """Return the names that a class's constructor takes, read from its source.

    Importing scikit-learn only to learn a signature would cost two seconds at each start of the workflow.

    Parameters
    ----------
    module, class_name : str
        Where the class is defined or imported from.
    root : path-like
        The folder that holds the package.

    Raises
    ------
    InputError
        When the module or the class is not found, or neither the class nor its first bases have a constructor.
    """
    for _ in range(10):  # follow `from ._classes import SVC` to the definition, and a class to its first base
        path = _file_of(module, Path(root)) or _installed_file(module)
        if path is None:
            raise InputError(f"module {module} is not installed")
        for node in _parse(path).body:
            if isinstance(node, ast.ClassDef) and node.name == class_name:
                arguments = _init_arguments(node)
                if arguments is not None:
                    return arguments
                if not (node.bases and isinstance(node.bases[0], ast.Name)):
                    raise InputError(f"{path}: class {class_name} has no constructor")
                class_name = node.bases[0].id
                break
            if isinstance(node, ast.ImportFrom) and class_name in {a.asname or a.name for a in node.names}:
                module = _absolute(node, module, path)
                break
        else:
            break
    raise InputError(f"module {module} does not define a class {class_name}")


def _inside(name: str) -> bool:
    return name == PACKAGE or name.startswith(PACKAGE + ".")


def _file_of(name: str, root: Path) -> Path | None:
    base = root.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def _installed_file(name: str) -> Path | None:
    top, *rest = name.split(".")
    spec = importlib.util.find_spec(top)  # of the top package only: looking for more would import it
    if spec is None or spec.origin is None:
        return None
    return _file_of(".".join([top, *rest]), Path(spec.origin).parent.parent)


def _parse(path: Path) -> ast.Module:
    return _parse_text(path.read_text(encoding="utf-8"), str(path))


@cache
def _parse_text(text: str, name: str) -> ast.Module:
    return ast.parse(text, filename=name)


def _statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield statements and those inside them. Expressions hold none, and are nine nodes in ten."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(node, part, ()))
        for branch in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            yield from _statements(branch.body)


def _absolute(node: ast.ImportFrom, module: str, path: Path) -> str:
    """Return the absolute name of the module that a ``from`` statement in `module` imports from."""
    if node.level == 0:
        return node.module or ""
    parts = module.split(".")
    if path.name != "__init__.py":
        parts = parts[:-1]
    parts = parts[: len(parts) - (node.level - 1)]
    return ".".join(parts + ([node.module] if node.module else []))


@cache  # a workflow asks for the same files in each of some thirty closures
def _imports(name: str, text: str, path: Path, root: Path) -> set[str]:
    """Return the modules of the package that one file imports."""
    modules = set()
    # A module that names compiled sources imports what is made from them, which has no file of its own.
    compiled = name.rpartition(".")[0] if _kernel_sources(text, path) else None
    for node in _statements(_parse_text(text, str(path)).body):
        if isinstance(node, ast.Import):
            modules.update(alias.name for alias in node.names if _inside(alias.name))
        elif isinstance(node, ast.ImportFrom):
            source = _absolute(node, name, path)
            if _inside(source) and source != compiled:
                for alias in node.names:
                    modules.add(_imported_module(source, alias.name, root, f"{path}:{node.lineno}"))
    return modules


def _imported_module(source: str, name: str, root: Path, where: str) -> str:
    """Return the module that ``from source import name`` makes a file depend on."""
    if _file_of(f"{source}.{name}", root) is not None:
        return f"{source}.{name}"
    path = _file_of(source, root)
    if path is not None and path.name == "__init__.py" and name not in _bound_names(_parse(path)):
        raise InputError(
            f"{where}: import {name!r} from the module that defines it, not from the package {source}, "
            f"so that the files behind a result can be known"
        )
    return source


def _bound_names(tree: ast.Module) -> set[str]:
    """Return the names that a module binds by plain statements at its top level."""
    names = set()
    for node in tree.body:
        if isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names.update(alias.asname or alias.name for alias in node.names)
    return names


@cache
def _kernel_sources(text: str, path: Path) -> list[Path]:
    """Return the compiled files that a module names in its constant ``KERNEL_SOURCES``."""
    for node in _parse_text(text, str(path)).body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id == KERNEL_CONSTANT for target in targets):
            files = [path.parent / name for name in ast.literal_eval(node.value)]
            missing = [str(file) for file in files if not file.is_file()]
            if missing:
                raise InputError(f"{path}: {KERNEL_CONSTANT} names {missing[0]}, which does not exist")
            return files
    return []


def _init_arguments(node: ast.ClassDef) -> list[str] | None:
    for item in node.body:
        if isinstance(item, ast.FunctionDef) and item.name == "__init__":
            arguments = item.args
            return [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs][1:]
    return None
