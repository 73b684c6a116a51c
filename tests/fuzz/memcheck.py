"""Some cases of each part in this process, for valgrind: ``make memcheck``."""

import os
import tempfile

from .cases import FOLDER, Draw, module

# Each takes about fifty times as long as without valgrind.
CASES = {"models": 25, "collections": 15, "extremes": 25, "invalid": 8, "exactness": 4, "readers": 25}
SEED = 3


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        for part, count in CASES.items():
            for index in range(count):
                module(part).case(Draw(part, SEED, index))
            print(f"{part}: {count} cases", flush=True)


if __name__ == "__main__":
    main()
