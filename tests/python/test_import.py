"""The package itself: what importing needs, and that the stubs say what there is."""

import ast
import doctest
import inspect
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import budgetrs
from budgetrs import _core, _parameters
from budgetrs._hints import NATIVE
from budgetrs._table import TABLE

BLOCKED = ("sklearn", "scipy", "matplotlib", "pandas", "joblib", "onnx")
PRELUDE = f"""
import sys
class Absent:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.split(".")[0] in {BLOCKED!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent)
"""
STUB = Path(budgetrs.__file__).with_name("_core.pyi")


def without_extras(code):
    return subprocess.run(
        [sys.executable, "-c", PRELUDE + code], capture_output=True, text=True, timeout=120, check=False
    )


def test_import_needs_numpy_alone():
    done = without_extras(
        "import numpy as np, budgetrs\n"
        "from budgetrs import *\n"
        "X = np.float32([[0, 0], [1, 1], [0, 1], [1, 0]])\n"
        "m = Classifier('bsgd-merge', budget=4, gamma=10.0).learn(X, ['a', 'a', 'b', 'b'])\n"
        "print(m.predict(X).tolist(), len(ALGORITHMS) > 0, 'BSGDClassifier' in dir(budgetrs))\n"
        "from budgetrs.cli import main\n"
        "main(['train', '--help'])\n"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("['a', 'a', 'b', 'b'] True True\n")


NO_ESTIMATORS = (
    "the estimators of budgetrs need scikit-learn: pip install 'budgetrs[sklearn]' "
    "(budgetrs.Classifier works without)"
)
NO_PICTURE = "a picture needs matplotlib: pip install 'budgetrs[plot]'"


@pytest.mark.parametrize(
    ("use", "message"),
    [
        ("budgetrs.BSGDClassifier", NO_ESTIMATORS),
        ("budgetrs.make_estimator('bsgd-merge')", NO_ESTIMATORS),
        ("model.plot()", NO_PICTURE),
        ("budgetrs.plot_importances(model)", NO_PICTURE),
        ("comparison.plot()", NO_PICTURE),
        ("budgetrs.to_onnx(model)", "a model in ONNX needs onnx: pip install 'budgetrs[onnx]'"),
    ],
)
def test_without_a_library_the_extra_is_named(use, message):
    done = without_extras(
        "import numpy as np, budgetrs\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "model = budgetrs.Classifier(budget=5).learn(X, X[:, 0] > 0)\n"
        "comparison = budgetrs.compare_budgets(X, X[:, 0] > 0, [5, 10])\n"
        f"str(comparison)\ntry:\n    {use}\nexcept ImportError as error:\n    print(error)"
    )
    assert done.stdout == f"{message}\n", done.stderr


def test_demo_without_extras_names_the_extra(tmp_path):
    done = without_extras(
        f"from budgetrs.cli import main\nsys.exit(main(['demo', '-o', {str(tmp_path / 'out')!r}]))"
    )
    assert done.returncode == 2
    assert "pip install 'budgetrs[demo]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_importing_and_comparing_load_no_other_library():
    code = (
        "import numpy as np, budgetrs, sys\n"
        "X = np.random.default_rng(0).normal(size=(50, 2))\n"
        "str(budgetrs.compare_budgets(X, X[:, 0] > 0, [5, 10]))\n"
        "print([name for name in ('sklearn', 'scipy', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout == "[]\n"


def test_version_is_that_of_the_distribution():
    assert budgetrs.__version__ == _core.__version__ == version("budgetrs")


def test_unknown_attribute():
    with pytest.raises(AttributeError, match="'budgetrs' has no attribute 'Nothing'"):
        _ = budgetrs.Nothing


def importing(level):
    return subprocess.run(
        [sys.executable, "-c", "from budgetrs import _core; print(_core.isa())"],
        env={**os.environ, "BUDGETRS_SIMD": level},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_a_level_may_be_forced_by_its_name_alone():
    assert importing("").stdout.strip() == _core.isa()
    for level in ("portable", _core.isa()):
        assert importing(level).stdout.strip() == level
    for level in ("avx1024", "Portable"):
        done = importing(level)
        assert done.returncode != 0
        assert (
            f"BUDGETRS_SIMD must be one of the levels that this processor has, {_core.isa()}" in done.stderr
        )
        assert f'got "{level}"' in done.stderr


MODELS = """
import hashlib, numpy as np
from budgetrs import Classifier, Regressor
X = np.random.default_rng(0).normal(size=(1500, 7))
products = X[:, 0] * X[:, 1]
for dtype in ("float32", "float64"):
    for model, y in [
        (Classifier(budget=40), products > 0),
        (Classifier(budget=40), np.digitize(products, [-1, 1])),
        (Regressor(budget=40), products),
        (Classifier("bsgd-project", budget=20), products > 0),
    ]:
        print(hashlib.sha256(model.learn(X.astype(dtype), y).to_bytes()).hexdigest())
"""


@pytest.mark.skipif(_core.isa() != "avx512", reason="needs a processor with AVX-512")
def test_avx2_and_avx512_give_bit_identical_models():
    found = {}
    for level in ("avx2", "avx512", "portable"):
        found[level] = subprocess.run(
            [sys.executable, "-c", MODELS],
            env={**os.environ, "BUDGETRS_SIMD": level},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout.split()
    assert len(found["avx2"]) == 8
    assert found["avx2"] == found["avx512"]
    assert not set(found["avx2"]) & set(found["portable"])  # SSE2 rounds differently


def test_every_algorithm_says_its_parameters():
    for name in budgetrs.ALGORITHMS:
        assert {"budget", "kernel", "gamma"} <= set(_core.parameters(name))
    with pytest.raises(ValueError, match=r"algorithm must be .*nothing"):
        _core.parameters("nothing")
    assert _core.isa() in ("avx512", "avx2", "neon", "portable")


def stub_members():
    """Give (owner, name, node) of everything the stub promises."""
    for node in ast.parse(STUB.read_text()).body:
        if isinstance(node, ast.FunctionDef):
            yield _core, node.name, node
        elif isinstance(node, ast.AnnAssign):
            yield _core, node.target.id, node
        elif isinstance(node, ast.ClassDef):
            owner = getattr(_core, node.name)
            yield _core, node.name, node
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    yield owner, member.name, member


def test_stub_names_exist():
    members = list(stub_members())
    assert len(members) > 100
    faults = [(owner.__name__, name, fault_of_stub(owner, name, node)) for owner, name, node in members]
    assert [fault for fault in faults if fault[2]] == []


def fault_of_stub(owner, name, node):
    """Compare a member of the extension module with the stub: what is wrong, or None."""
    try:
        member = inspect.getattr_static(owner, name)
    except AttributeError as error:
        return str(error)
    if not isinstance(node, ast.FunctionDef) or inspect.isdatadescriptor(member):
        return None
    if name == "__new__":
        member = owner
    elif name.startswith("__"):
        return None
    elif isinstance(member, staticmethod):
        member = member.__func__
    parameters = inspect.signature(member).parameters.values()
    found = [p.name for p in parameters if p.name not in ("self", "cls") and p.kind != p.VAR_KEYWORD]
    arguments = node.args
    stated = [a.arg for a in arguments.posonlyargs + arguments.args + arguments.kwonlyargs]
    stated = [name for name in stated if name not in ("self", "cls")]
    if any(p.kind == p.VAR_KEYWORD for p in parameters) and arguments.kwarg is None:
        return "it has keywords, the stub has none"
    return None if found == stated else f"it has {found}, the stub has {stated}"


# Parameters of rules without a loss of regression, and of losses that the other class has.
CLASSIFIERS = {"grad_tol", "margin", "eta", "eta0", "max_coef", "noise_margin", "class_weight"}
REGRESSORS = {"epsilon", "delta", "quantile"}


def test_signatures_have_every_parameter():
    known = {row["name"] for row in _core._table()}
    for kind, others, more in (
        (budgetrs.Classifier, REGRESSORS, {"algorithm", "n_jobs", "feature_space", "classes"}),
        (budgetrs.Regressor, CLASSIFIERS, {"algorithm", "n_jobs", "feature_space"}),
    ):
        parameters = inspect.signature(kind).parameters
        assert parameters.keys() == known - others | more
        assert all(p.annotation is not p.empty and p.default is not p.empty for p in parameters.values())
        assert {name: p.default for name, p in parameters.items() if name in kind().params} == kind().params
    for types, kind in (
        (_parameters.ClassifierParameters, budgetrs.Classifier),
        (_parameters.RegressorParameters, budgetrs.Regressor),
    ):
        assert types.__annotations__.keys() == inspect.signature(kind).parameters.keys() & known


def test_stub_promises_all_public_names():
    promised = {(owner.__name__, name) for owner, name, _ in stub_members()}
    for owner in (_core, _core.NativeModel, _core.Classifier, _core.Regressor, _core.Reader):
        public = {name for name in vars(owner) if not name.startswith("_")} - NATIVE.keys() - TABLE.keys()
        if owner is _core:
            public -= {n for n in public if inspect.ismodule(getattr(_core, n))}
        assert {(owner.__name__, name) for name in public} <= promised


def test_stub_texts_are_the_first_lines_of_those_at_run_time():
    for owner, name, node in stub_members():
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and (text := ast.get_docstring(node)):
            whole = inspect.getdoc(getattr(owner, name))
            assert whole is not None, name
            assert whole.startswith(text), name


def native_examples():
    for owner, name, node in stub_members():
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            text = inspect.getdoc(getattr(owner, name)) or ""
            if ">>>" in text:
                yield pytest.param(text, id=f"{owner.__name__}.{name}")


@pytest.mark.parametrize("text", list(native_examples()))
def test_native_examples_run(text):
    example = doctest.DocTestParser().get_doctest(text, {}, "native", None, 0)
    assert doctest.DocTestRunner().run(example).failed == 0
