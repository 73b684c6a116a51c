"""Check that a release is prepared, before it is published: python scripts/release.py v0.1.0.

Cargo.toml has the version. The tag, CITATION.cff and CHANGELOG.md must state the same version, the last two
also the same date, and pyproject.toml the address of the repository. The tag may be left out.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATE = r"\d{4}-\d{2}-\d{2}"


def problems(tag: str | None, files: dict[str, str]) -> list[str]:
    """Return what is missing, given the text of each file."""
    version = tomllib.loads(files["Cargo.toml"])["workspace"]["package"]["version"]
    project = tomllib.loads(files["pyproject.toml"])["project"]
    entry = re.search(rf"^## {re.escape(version)} \(({DATE})\)$", files["CHANGELOG.md"], re.MULTILINE)
    citation = files["CITATION.cff"]
    date = entry[1] if entry else "YYYY-MM-DD"
    expected = {
        f"the tag must be v{version}, got {tag}": tag in (None, f"v{version}"),
        f'CHANGELOG.md needs the heading "## {version} ({date})"': entry,
        f"CITATION.cff needs version: {version}": f"\nversion: {version}\n" in citation,
        f"CITATION.cff needs date-released: {date}": f"\ndate-released: {date}\n" in citation,
        "pyproject.toml needs urls.Repository": "Repository" in project.get("urls", {}),
    }
    return [problem for problem, is_met in expected.items() if not is_met]


def main() -> None:
    """Print the problems and exit with 1 if there are any."""
    names = ("Cargo.toml", "pyproject.toml", "CHANGELOG.md", "CITATION.cff")
    found = problems(next(iter(sys.argv[1:]), None), {name: (ROOT / name).read_text() for name in names})
    sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
