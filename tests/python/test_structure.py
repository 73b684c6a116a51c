"""The allowed imports between modules. docs/architecture.md explains the layers."""

import re
import subprocess
import tomllib
from functools import cache, partial
from pathlib import Path

import pytest

from conftest import ROOT
from imports import Crate, circles, python_imports, siblings

CORE = ROOT / "src"
READERS = ROOT / "readers" / "src"
BINDING = ROOT / "python" / "src"
PACKAGE = ROOT / "python" / "budgetrs"

# The files and folders of src/, lowest first. Each imports only from lower layers.
LAYERS = (
    ("constants", "count", "element", "error", "rng", "slot"),
    ("classes", "float", "generate", "persist"),
    ("batch", "columns", "parameter"),
    ("added_outputs", "kernel", "losses"),
    ("component", "ops", "params"),
    ("linalg", "panels"),
    ("expansion",),
    ("rules",),
    ("input", "monitor", "state"),
    ("maintenance",),
    ("learner",),
    ("model",),
    ("api", "keyed"),
)
LONGEST = 350


def assert_none(found, rule):
    """Fail with the violations of a rule."""
    assert not found, f"{rule}:\n" + "\n".join(sorted(found))


@cache
def crate(source):
    """The modules below a folder of Rust sources, read once."""
    return Crate(source)


def folder_path(source, module):
    """The path of the folder of a Rust module, from the repository's root."""
    return (source / module.replace(".", "/").removeprefix("crate").lstrip("/")).relative_to(ROOT).as_posix()


def described(levels, name):
    """Name the folder of each circle, and the files that form it."""
    return {
        f"{name(folder)}: {', '.join(circle)}"
        for folder, level in levels.items()
        for circle in circles(level)
    }


def test_no_circles_in_rust():
    found = {
        circle
        for source in (CORE, READERS, BINDING)
        for circle in described(siblings(crate(source).graph()), partial(folder_path, source))
    }
    assert_none(found, "these import one another in a circle; move what they share below them")


def test_no_circles_between_a_folder_and_its_members_in_rust():
    found = {
        circle
        for source in (CORE, READERS, BINDING)
        for circle in described(crate(source).families(), partial(folder_path, source))
    }
    rule = (
        "in these folders, mod.rs and members are in a circle; move what members import to a file of its own"
    )
    assert_none(found, rule)


@pytest.mark.parametrize("package", [PACKAGE, *(ROOT / name for name in ("benches", "scripts", "measure"))])
def test_no_circles_in_python(package):
    graph = python_imports(package)
    found = {", ".join(circle) for circle in circles(graph)} | described(siblings(graph), str)
    assert_none(found, "these import one another in a circle; move what they share below them")


def test_the_core_imports_downwards():
    layer_of = {name: layer for layer, names in enumerate(LAYERS) for name in names}
    modules = siblings(crate(CORE).graph())["crate"]
    missing = {*modules, *(name for names in modules.values() for name in names)} - set(layer_of)
    assert not missing, f"on no layer in test_structure.py: {', '.join(sorted(missing))}"
    found = {
        f"{module} -> {name}"
        for module, names in modules.items()
        for name in names
        if layer_of[name] >= layer_of[module]
    }
    assert_none(found, "imports that do not lead to a lower layer of LAYERS")


def test_only_ops_is_generic_over_processor_levels():
    found = {
        path.relative_to(CORE).parts[0]
        for path in CORE.rglob("*.rs")
        if re.search(r"\bS\s*:\s*Simd\b", path.read_text())
    }
    assert_none(found - {"ops"}, "folders of src/ beside ops that are generic over S: Simd")


def test_files_of_the_core_and_the_readers_are_short():
    found = {
        path.relative_to(ROOT).as_posix()
        for source in (CORE, READERS)
        for path in source.rglob("*.rs")
        if len(path.read_text().splitlines()) > LONGEST
    }
    assert_none(found, f"files of more than {LONGEST} lines; look for the missing type")


def test_the_core_and_the_readers_are_independent():
    manifests = {name: tomllib.loads((ROOT / name / "Cargo.toml").read_text()) for name in (".", "readers")}
    assert "budgetrs-readers" not in str(manifests["."]["dependencies"])
    assert "budgetrs" not in str(manifests["readers"]["dependencies"])


def features(*selection):
    """The features of each crate that a selection of cargo's depends on."""
    command = ["cargo", "tree", "--offline", "--prefix", "none", "--format", "{p} [{f}]", *selection]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return {line.removesuffix(" (*)") for line in done.stdout.splitlines()}


def test_the_extension_and_the_rust_tests_share_one_build_of_the_core():
    alone = features("--package", "budgetrs-python", "--edges", "normal")
    tests = features("--workspace", "--edges", "normal,dev")
    assert alone <= tests, "python/Cargo.toml must ask for the features that the tests' crates ask of these"


def test_the_documents_show_these_layers():
    text = (ROOT / "docs" / "architecture.md").read_text()
    rows = re.findall(r"^\| (\d+) \| (.*?) \|", text, re.MULTILINE)
    shown = [set(re.findall(r"`(\w+)`", names)) for _, names in sorted(rows, key=lambda row: int(row[0]))]
    assert shown == [set(names) for names in LAYERS]


def test_files_that_documents_name_are_there():
    named = re.compile(r"[`(]((?:src|python|readers|tests|benches|measure|docs)/[\w./-]*|[A-Z]+\.md)[`)]")
    documents = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *ROOT.glob("docs/**/*.md")]
    found = {
        path.rstrip("/")
        for document in documents
        for path in named.findall(document.read_text())
        if not (ROOT / path).exists() and not (document.parent / path).exists()
    }
    assert_none(found, "documents name files that are not there")


def write(folder: Path, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_rust_imports_are_read(tmp_path):
    source = write(
        tmp_path / "src",
        {
            "lib.rs": "mod low; mod mid; mod top;\npub use mid::one::Thing;",
            "low.rs": '//! See crate::top.\nfn f() { let text = "crate::top::Top"; }',
            "mid/mod.rs": "pub mod one; pub(crate) mod two;\n#[cfg(test)]\nmod tests;\npub use two::*;",
            "mid/one.rs": "use super::two::{self, Helper as H, other::{Deep}};\npub struct Thing;",
            "mid/two.rs": "pub struct Helper;\n#[cfg(test)]\nmod inner { use crate::top::Top; }\n"
            "const QUOTE: char = '\"';\nfn g<'a>(a: &'a str) { crate::low::f() }\nconst OTHER: char = '\"';",
            "mid/tests.rs": "use crate::top::Top;",
            "top.rs": "use crate::{low, Thing};\nuse std::fmt;",
        },
    )
    assert Crate(source).graph() == {
        "crate": {"crate.mid.one"},
        "crate.low": set(),
        "crate.mid": {"crate.mid.two"},
        "crate.mid.one": {"crate.mid.two"},
        "crate.mid.two": {"crate.low"},
        "crate.top": {"crate.low", "crate.mid.one"},
    }


def test_imports_between_a_folder_and_its_members_are_read(tmp_path):
    source = write(
        tmp_path / "src",
        {
            "lib.rs": "mod room;",
            "room/mod.rs": "mod passed; mod reader; mod trait_of; mod used; mod whole;\n"
            "pub use passed::Passed;\npub(crate) use used::Used;\nuse trait_of::Contract;\n"
            "pub struct Whole(Used);\nfn new() -> Whole { whole::make() }",
            "room/passed.rs": "pub struct Passed;",
            "room/reader.rs": "use super::{Passed, Whole};",
            "room/trait_of.rs": "pub trait Contract {}",
            "room/used.rs": "use super::Contract;\npub(in crate::room) struct Used;",
            "room/whole/mod.rs": "mod deep;\npub fn make() -> deep::Deep { deep::Deep }",
            "room/whole/deep.rs": "pub struct Deep(crate::room::Whole);",
        },
    )
    assert Crate(source).families() == {
        "crate": {"mod": set(), "room": set()},
        "crate.room": {
            "mod": {"used", "whole"},
            "passed": set(),
            "reader": {"mod", "passed"},
            "trait_of": set(),
            "used": {"trait_of"},
            "whole": {"mod"},
        },
        "crate.room.whole": {"mod": {"deep"}, "deep": set()},
    }
    assert circles(Crate(source).families()["crate.room"]) == [["mod", "whole"]]


def test_python_imports_are_read(tmp_path):
    package = write(
        tmp_path / "package",
        {
            "__init__.py": "from . import _core\nfrom .a import x\n",
            "a.py": "def x():\n    from .sub import b\n",
            "sub/__init__.py": "",
            "sub/b.py": "import json\nfrom ..a import x\nfrom .. import a\n",
        },
    )
    graph = python_imports(package)
    assert graph == {
        "package": {"package.a"},
        "package.a": {"package.sub.b"},
        "package.sub": set(),
        "package.sub.b": {"package.a"},
    }
    assert circles(graph) == [["package.a", "package.sub.b"]]
    assert circles(siblings(graph)["package"]) == [["a", "sub"]]


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, [["b", "c"]]),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"e"}, "e": {"d"}}, [["a", "b", "c"], ["d", "e"]]),
    ],
)
def test_circles_are_found(graph, expected):
    assert circles(graph) == expected
