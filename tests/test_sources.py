"""The import closure: on a made-up package with every form of import, and on the real one."""

from pathlib import Path

import pytest

from algos.exceptions import InputError
from algos.experiments.methods import METHODS
from algos.experiments.sources import constructor_parameters, import_closure, method_sources
from algos.features.registry import feature_modules

ROOT = Path(__file__).parent.parent / "src"

FILES = {
    "algos/__init__.py": "__version__ = '0'\n",
    "algos/plain.py": "import algos.deep.one\nimport numpy\n",
    "algos/deep/__init__.py": "from algos._lazy import exports\n__getattr__ = exports()\ndef here(): pass\n",
    "algos/deep/one.py": "from . import two\nfrom ..other import thing\n",
    "algos/deep/two.py": "def late():\n    from .three import x\n    return x\n",
    "algos/deep/three.py": "x = 1\n",
    "algos/_lazy.py": "def exports(): pass\n",
    "algos/other.py": "thing = 1\n",
    "algos/unused.py": "import algos.other\n",
    "algos/circle_a.py": "import algos.circle_b\n",
    "algos/circle_b.py": "import algos.circle_a\n",
    "algos/kernels/__init__.py": "",
    "algos/kernels/fast.py": "from algos.kernels import _fast\nKERNEL_SOURCES = ('fast.cpp',)\n",
    "algos/kernels/fast.cpp": "",
    "algos/takes_lazy.py": "from algos.deep import Lazy\n",
    "algos/takes_bound.py": "from algos.deep import here\n",
    "algos/nested.py": """
class A:
    def f(self, x):
        try:
            import algos.n1
        except ImportError:
            import algos.n2
        else:
            import algos.n3
        finally:
            with x, x:
                import algos.n4
        match x:
            case 1:
                import algos.n5
        for _ in x:
            pass
        else:
            import algos.n6
        while x:
            if x:
                pass
            elif x:
                import algos.n7
            else:
                async def g():
                    import algos.n8
""",
    **{f"algos/n{k}.py": "" for k in range(1, 9)},
}


@pytest.fixture
def package(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def closure(package, *modules, **options):
    return [path.relative_to(package / "algos").as_posix() for path in import_closure(modules, package, **options)]


def test_follows_every_form_of_import_and_leaves_parent_packages_out(package):
    expected = ["deep/one.py", "deep/three.py", "deep/two.py", "other.py", "plain.py"]
    assert closure(package, "algos.plain") == expected


def test_finds_imports_inside_any_statement(package):
    assert closure(package, "algos.nested") == [*(f"n{k}.py" for k in range(1, 9)), "nested.py"]


def test_ends_on_circles(package):
    assert closure(package, "algos.circle_a") == ["circle_a.py", "circle_b.py"]


def test_takes_compiled_sources_along(package):
    assert closure(package, "algos.kernels.fast") == ["kernels/fast.cpp", "kernels/fast.py"]


def test_takes_a_package_along_whose_own_name_is_imported(package):
    assert closure(package, "algos.takes_bound") == ["_lazy.py", "deep/__init__.py", "takes_bound.py"]


def test_leaves_out_what_it_is_told_to_and_what_only_that_imports(package):
    assert closure(package, "algos.plain", without={"algos.deep.one"}) == ["plain.py"]


def test_passes_over_other_packages(package):
    assert closure(package, "sklearn.svm", "algos.other") == ["other.py"]


def test_refuses_a_lazily_exported_name_with_its_place(package):
    with pytest.raises(InputError, match=r"takes_lazy\.py:1: import 'Lazy' from the module that defines it"):
        closure(package, "algos.takes_lazy")


def test_refuses_a_missing_module_and_a_missing_kernel(package):
    with pytest.raises(InputError, match=r"algos\.nowhere has no file"):
        closure(package, "algos.nowhere")
    (package / "algos/kernels/fast.cpp").unlink()
    with pytest.raises(InputError, match=r"names .*fast\.cpp, which does not exist"):
        closure(package, "algos.kernels.fast")


def test_sees_an_edit(package):
    assert closure(package, "algos.other") == ["other.py"]
    (package / "algos/other.py").write_text("import algos.deep.three\n")
    assert closure(package, "algos.other") == ["deep/three.py", "other.py"]


@pytest.mark.parametrize("name", METHODS)
def test_each_method_depends_on_its_own_module_and_selection_and_not_on_the_registry(name):
    method = METHODS[name]
    files = method_sources([method.module], ROOT)
    relative = {path.relative_to(ROOT).as_posix() for path in files}
    assert {"algos/evaluation/selection.py", "algos/experiments/training.py"} <= relative
    assert "algos/experiments/methods.py" not in relative
    assert not any(path.startswith("algos/datasets") for path in relative)
    own = method.module.replace(".", "/") + ".py"
    assert (own in relative) == method.module.startswith("algos.")


def test_the_kernel_of_hamming_trees_is_a_source_of_its_method_alone():
    kernel = ROOT / "algos/_kernels/hamming_search.cpp"
    assert kernel in method_sources(["algos.multiclass.adaboost_mh"], ROOT)
    assert kernel not in method_sources(["sklearn.svm"], ROOT)


def test_only_methods_that_ask_for_features_depend_on_their_code():
    haar = ROOT / "algos/features/haar.py"
    assert feature_modules({"scale": "none", "haar": {}}) == ["algos.features.haar"]
    assert haar in method_sources(["sklearn.svm", *feature_modules({"haar": {}})], ROOT)
    assert haar not in method_sources(["sklearn.svm", *feature_modules({"scale": "none"})], ROOT)


@pytest.mark.parametrize("name", METHODS)
def test_constructor_parameters_are_those_of_the_class(name):
    import importlib

    method = METHODS[name]
    cls = getattr(importlib.import_module(method.module), method.class_name)
    assert sorted(constructor_parameters(method.module, method.class_name, ROOT)) == sorted(cls().get_params())


def test_constructor_parameters_of_what_is_not_there():
    with pytest.raises(InputError, match="does not define a class Nothing"):
        constructor_parameters("sklearn.svm", "Nothing", ROOT)
    with pytest.raises(InputError, match="module nosuchpackage is not installed"):
        constructor_parameters("nosuchpackage", "Nothing", ROOT)


def test_constructor_parameters_may_be_inherited(tmp_path):
    (tmp_path / "algos").mkdir()
    (tmp_path / "algos/first.py").write_text("class A:\n    def __init__(self, x, *, y=1): ...\n")
    (tmp_path / "algos/second.py").write_text(
        "from algos.first import A\nclass B(A): ...\nclass C(B): ...\nclass D: ...\n"
    )
    assert constructor_parameters("algos.second", "C", tmp_path) == ["x", "y"]
    with pytest.raises(InputError, match="class D has no constructor"):
        constructor_parameters("algos.second", "D", tmp_path)
