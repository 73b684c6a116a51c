"""Which module imports which, read from the sources of the Rust core, the binding and the Python package."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

Graph = dict[str, set[str]]
"""The modules that each module imports. Names have dots; a folder's own file has the folder's name."""

# Comments, raw strings, characters and strings; a lifetime is no character.
NO_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|r(#*)"[\s\S]*?"\1|' + r"'(?:\\.[^']*|[^\\'])'" + r'|"(?:[^"\\]|\\.)*"', re.DOTALL
)
TEST_ITEM = re.compile(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?")
MODULE = re.compile(r"\bmod\s+(\w+)\s*;")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"\b((?:crate|self|super)(?:::\w+)+)")
VISIBILITY = re.compile(r"\bpub\s*\(in [^)]*\)")


def circles(graph: Graph) -> list[list[str]]:
    """The groups of modules that import one another in a circle (Tarjan's strongly connected components)."""
    found, stack, low, index = [], [], {}, {}

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def siblings(graph: Graph) -> dict[str, Graph]:
    """For each folder, the imports between its files and subfolders: `a.b.c` -> `a.d.e` is b -> d in a."""
    levels: dict[str, Graph] = {}
    for module, targets in graph.items():
        for target in targets:
            here, there = module.split("."), target.split(".")
            common = 0
            while common < min(len(here), len(there)) and here[common] == there[common]:
                common += 1
            # A folder's own file names its members, and they use what it defines: that is no circle.
            if common < min(len(here), len(there)):
                level = levels.setdefault(".".join(here[:common]), {})
                level.setdefault(here[common], set()).add(there[common])
    return levels


def python_imports(package: Path) -> Graph:
    """The imports of a package, those inside functions too."""
    names = {python_name(package, path): path for path in sorted(package.rglob("*.py"))}
    graph: Graph = {}
    for name, path in names.items():
        here = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
        graph[name] = set()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                asked = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                base = [*here[: len(here) - node.level + 1], *filter(None, [node.module])]
                base = base if node.level else [node.module or ""]
                # `from . import x` imports the module x where there is one, else the package.
                asked = [
                    ".".join([*base, alias.name] if ".".join([*base, alias.name]) in names else base)
                    for alias in node.names
                    if alias.name != "_core"
                ]
            else:
                continue
            graph[name] |= {module for module in asked if module in names and module != name}
    return graph


def python_name(package: Path, path: Path) -> str:
    """The dotted name of a Python file."""
    parts = [package.name, *path.relative_to(package).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


class Crate:
    """The modules of a Rust crate, without its tests."""

    def __init__(self, source: Path) -> None:
        self.files = {rust_name(source, path): path for path in sorted(source.rglob("*.rs"))}
        self.files["crate"] = self.files.pop("crate.lib")
        self.texts = {name: without_comments(path.read_text()) for name, path in self.files.items()}
        for test in sorted(self._tests()):
            self.texts.pop(test, None)
        self.texts = {name: VISIBILITY.sub("pub", without_tests(text)) for name, text in self.texts.items()}
        # What a module has under a name of its own, and from where: `use a::B` in it makes `self::B` an a::B.
        self.aliases = {
            name: {
                path[-1] if new is None else new: path[:-1] if new is None else path
                for path, new in self._uses(name)
            }
            for name in self.texts
        }

    def graph(self) -> Graph:
        """The modules that each module names, in `use` and in paths."""
        return {name: {self._resolve(path) for path in self._named(name)} - {name, ""} for name in self.texts}

    def families(self) -> dict[str, Graph]:
        """For each folder, the imports among its own file, which is called `mod` here, and its members.

        A member depends on `mod` if it imports an item that `mod` defines, and on a sibling if `mod`
        re-exports the sibling's item. `mod` depends on the members that it uses: a re-export is no use.
        """
        graph, families = self.graph(), {}
        for folder in sorted({name.rpartition(".")[0] for name in graph} - {""}):
            level: Graph = {"mod": set()}
            for module in (name for name in graph if name.startswith(f"{folder}.")):
                targets = {member_of(folder, target) for target in graph[module]}
                level.setdefault(member_of(folder, module), set()).update(targets)
            level["mod"] = {member_of(folder, module) for module in self._used(folder)}
            families[folder] = {member: names - {member, ""} for member, names in level.items()}
        return families

    def _used(self, folder: str) -> Iterator[str]:
        """The modules below a folder whose items the folder's own file names outside `use`."""
        body = USE.sub("", self.texts[folder])
        for path, new in self._uses(folder):
            if re.search(rf"\b{new or path[-1]}\b", body):
                yield self._resolve(path)
        for member in MODULE.findall(self.texts[folder]):
            if re.search(rf"(?<!mod )\b{member}::", body):
                yield f"{folder}.{member}"

    def _tests(self) -> Iterator[str]:
        """The modules that are declared for tests alone, and all below them."""
        for name, text in self.texts.items():
            for item in TEST_ITEM.finditer(text):
                if declared := MODULE.match(text, item.end()):
                    test = f"{name}.{declared[1]}"
                    yield from (other for other in self.texts if f"{other}.".startswith(f"{test}."))

    def _uses(self, name: str) -> Iterator[tuple[list[str], str | None]]:
        for use in USE.finditer(self.texts[name]):
            for path, new in expanded(use[1]):
                if absolute := self._absolute(name, path):
                    yield absolute, new

    def _named(self, name: str) -> Iterator[list[str]]:
        declarations = name == "crate" or self.files[name].name == "mod.rs"
        for path, _ in self._uses(name):
            yield path
        for found in PATH.finditer(USE.sub("", self.texts[name])):
            yield self._absolute(name, found[1].split("::")) or []
        # A folder's file that says `member::item` without `self`.
        if declarations:
            for member in MODULE.findall(self.texts[name]):
                if re.search(rf"(?<!mod )\b{member}::", USE.sub("", self.texts[name])):
                    yield [*name.split("."), member, ""]

    def _absolute(self, name: str, path: list[str]) -> list[str] | None:
        """A path from the crate's root; None of one into another crate."""
        here = name.split(".")
        if path[0] == "crate":
            return path
        if path[0] in ("self", "super"):
            while path and path[0] in ("self", "super"):
                here = here[:-1] if path[0] == "super" else here
                path = path[1:]
            return [*here, *path]
        return [*here, *path] if f"{name}.{path[0]}" in self.files else None

    def _resolve(self, path: list[str]) -> str:
        """The module in which what a path names is defined, as far as `use` leads there."""
        for _ in range(20):
            cut = max((n for n in range(len(path) + 1) if ".".join(path[:n]) in self.texts), default=0)
            module = ".".join(path[:cut])
            if cut == len(path) or cut == 0:
                return module
            source = self.aliases[module].get(path[cut])
            if source is None or [*source, path[cut]] == path:
                return module
            path = [*source, *path[cut:]]
        raise RuntimeError(f"{path} goes in a circle")


def rust_name(source: Path, path: Path) -> str:
    """The dotted name of a Rust file: `crate.expansion.edits`."""
    parts = ["crate", *path.relative_to(source).with_suffix("").parts]
    return ".".join(parts[:-1] if parts[-1] == "mod" else parts)


def member_of(folder: str, module: str) -> str:
    """The member of a folder to which a module belongs: `mod` for its own file."""
    if module == folder:
        return "mod"
    return module.removeprefix(f"{folder}.").split(".")[0] if module.startswith(f"{folder}.") else ""


def without_comments(text: str) -> str:
    """The code alone, every string empty."""
    return NO_CODE.sub(lambda found: "" if found[0].startswith("/") else '""', text)


def without_tests(text: str) -> str:
    """Leave out the items that are compiled for tests alone."""
    kept, at = [], 0
    for item in TEST_ITEM.finditer(text):
        if item.start() < at:
            continue
        kept.append(text[at : item.start()])
        at = end_of_item(text, item.end())
    return "".join([*kept, text[at:]])


def end_of_item(text: str, at: int) -> int:
    """The end of an item: its semicolon, or the brace that closes its body."""
    depth = 0
    for position in range(at, len(text)):
        character = text[position]
        if character == ";" and depth == 0:
            return position + 1
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "}" and depth == 0:
            following = text[position + 1 :].lstrip()
            return position + 1 if not following.startswith(";") else text.index(";", position) + 1
    return len(text)


def expanded(tree: str) -> Iterator[tuple[list[str], str | None]]:
    """The paths of a `use`, each with its new name if it has one: `a::{b, c as d}` is a::b and a::c as d."""
    tree = tree.strip()
    if "{" not in tree:
        path, _, new = tree.partition(" as ")
        parts = [part.strip() for part in path.strip().split("::")]
        yield parts[:-1] if parts[-1] == "self" and len(parts) > 1 else parts, new.strip() or None
        return
    head, _, rest = tree.partition("{")
    for branch in branches(rest[: rest.rindex("}")]):
        yield from expanded(f"{head}{branch}")


def branches(text: str) -> Iterable[str]:
    """Cut at the commas that are in no braces."""
    depth, start = 0, 0
    for at, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            yield text[start:at].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()
