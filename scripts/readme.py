"""Make the links and pictures of README.md absolute, for package indexes: python scripts/readme.py.

The address is `urls.Repository` of pyproject.toml; without it nothing changes. Run it before building a
release, and do not commit the result.
"""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def absolute(text: str, repository: str) -> str:
    """Return the text with absolute links to files of the branch main."""
    text = re.sub(r"(\]\()(?![a-z]+:|#)", rf"\1{repository}/blob/main/", text)
    return re.sub(r'((?:src|srcset)=")(?![a-z]+:)', rf"\1{repository}/raw/main/", text)


def main() -> None:
    """Rewrite the file."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    repository = project.get("urls", {}).get("Repository")
    if repository is None:
        print("README.md is unchanged: pyproject.toml has no urls.Repository")
        return
    readme = ROOT / "README.md"
    readme.write_text(absolute(readme.read_text(), repository.rstrip("/")))
    print(f"README.md has links to {repository}")


if __name__ == "__main__":
    main()
