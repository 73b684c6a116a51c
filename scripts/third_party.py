"""Write THIRD_PARTY.txt: the licences of the Rust crates that are linked into the extension module.

    python scripts/third_party.py            writes the file
    python scripts/third_party.py --check    fails if its crates differ from the crates of Cargo.lock

The list has the crates of all platforms with wheels, without build dependencies. The texts are the crates'
files in Cargo's registry; of several licences the first in `CHOICE` is taken.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOTICES = ROOT / "THIRD_PARTY.txt"
PLATFORMS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "x86_64-apple-darwin",
    "aarch64-apple-darwin",
    "x86_64-pc-windows-msvc",
)
# Licences, and the endings of their files' names after LICENSE.
CHOICE = {
    "MIT": ("-MIT", "", ".txt", ".md"),
    "Zlib": ("",),
    "BSD-2-Clause": ("",),
    "Apache-2.0": ("-APACHE", ""),
}
HEAD = """\
Licences of the Rust crates that are linked into the extension module of budgetrs.
Written by scripts/third_party.py. The standard library of Rust is linked too: MIT OR Apache-2.0,
copyright (c) The Rust Project Contributors, with the text of the MIT licence below.

"""
# The text of the MIT licence, without the line of copyright.
MIT = "Permission" + (ROOT / "LICENSE-MIT").read_text().split("Permission", 1)[1].rstrip()


def metadata() -> dict[str, Any]:
    """Return cargo's metadata of the packages of Cargo.lock, on all platforms with wheels."""
    platforms = [f"--filter-platform={name}" for name in PLATFORMS]
    command = ["cargo", "metadata", "--format-version=1", "--locked", *platforms]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


def linked(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the packages that are linked into the extension module, by name."""
    packages = {package["id"]: package for package in found["packages"]}
    nodes = {node["id"]: node for node in found["resolve"]["nodes"]}
    waiting = [key for key, package in packages.items() if package["name"] == "budgetrs-python"]
    seen = set(waiting)
    while waiting:
        for needed in nodes[waiting.pop()]["deps"]:
            kinds = {kind for target in packages[needed["pkg"]]["targets"] for kind in target["kind"]}
            used = any(kind["kind"] is None for kind in needed["dep_kinds"])
            if used and "proc-macro" not in kinds and needed["pkg"] not in seen:
                seen.add(needed["pkg"])
                waiting.append(needed["pkg"])
    others = (packages[key] for key in seen if packages[key]["source"])
    return sorted(others, key=lambda package: (package["name"], package["version"]))


def licence(package: dict[str, Any]) -> tuple[str, str]:
    """Return the name of a crate's licence, and its text."""
    offered = set(re.split(r"[ /()]+(?:OR |AND )?", package["license"]))
    folder = Path(package["manifest_path"]).parent
    for name, endings in CHOICE.items():
        if name in offered:
            for ending in endings:
                file = folder / f"LICENSE{ending}"
                if file.exists():
                    return name, "\n".join(line.rstrip() for line in file.read_text().strip().splitlines())
            if name == "MIT":
                return name, f"Copyright (c) {', '.join(package['authors']) or 'its authors'}\n\n{MIT}"
    raise SystemExit(f"{package['name']}: no text was found for {package['license']}")


def write(packages: list[dict[str, Any]]) -> str:
    """Return the file: the list of crates, and each text once, under the crates that have it."""
    texts: dict[str, list[str]] = {}
    lines = []
    for package in packages:
        name, text = licence(package)
        crate = f"{package['name']} {package['version']}"
        lines.append(f"{crate}: {name} (offered: {package['license']})")
        texts.setdefault(text, []).append(crate)
    parts = [f"{'=' * 80}\n{', '.join(crates)}\n{'=' * 80}\n\n{text}\n" for text, crates in texts.items()]
    return HEAD + "\n".join(lines) + "\n\n" + "\n".join(parts)


def listed(text: str) -> list[str]:
    """Return the crates that the file lists, each with its version."""
    return re.findall(r"^(\S+ \S+): \S+ \(offered: ", text, re.MULTILINE)


def main() -> int:
    """Write the file, or compare it with Cargo.lock."""
    parser = argparse.ArgumentParser(description="Write THIRD_PARTY.txt.")
    parser.add_argument(
        "--check", action="store_true", help="only compare the crates of the file with Cargo.lock"
    )
    check = parser.parse_args().check
    packages = linked(metadata())
    if not check:
        NOTICES.write_text(write(packages))
        return 0
    expected = [f"{package['name']} {package['version']}" for package in packages]
    there = listed(NOTICES.read_text())
    if there != expected:
        print("THIRD_PARTY.txt is out of date: run scripts/third_party.py", file=sys.stderr)
        print(f"missing: {sorted(set(expected) - set(there))}", file=sys.stderr)
        print(f"too many: {sorted(set(there) - set(expected))}", file=sys.stderr)
    return int(there != expected)


if __name__ == "__main__":
    sys.exit(main())
