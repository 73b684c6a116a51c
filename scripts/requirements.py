"""Print the requirements of the package and of some extras, one per line."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
needed = [*project["dependencies"]]
for extra in sys.argv[1:]:
    needed += project["optional-dependencies"][extra]
print(*needed, sep="\n")
