"""Model files taken apart and put together, with the digest of what is in them now."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

import numpy as np

# In the order in which safetensors sorts them: the last come first in a file.
DTYPES = ("U8", "U32", "F32", "F64", "I64", "U64")
NUMPY = {"U8": "<u1", "U32": "<u4", "F32": "<f4", "F64": "<f8", "I64": "<i8", "U64": "<u8"}


@dataclass
class File:
    """A model file: the values of its header as a tree of scopes, and its tensors by path."""

    state: dict[str, Any]
    tensors: dict[str, np.ndarray]

    @classmethod
    def open(cls, data: bytes) -> "File":
        """Take a file apart."""
        start = 8 + int.from_bytes(data[:8], "little")
        header = json.loads(data[8:start])
        state = json.loads(header.pop("__metadata__")["budgetrs"])["state"]
        tensors = {}
        for name, info in header.items():
            first, last = (start + at for at in info["data_offsets"])
            numbers = np.frombuffer(data[first:last], NUMPY[info["dtype"]])
            tensors[name] = numbers.reshape(info["shape"]).copy()
        return cls(state, tensors)

    def sign(self) -> bytes:
        """Put it together as the package would, with the right digest."""
        kinds = {np.dtype(numpy).str: name for name, numpy in NUMPY.items()}
        order = sorted(
            self.tensors, key=lambda name: (-DTYPES.index(kinds[self.tensors[name].dtype.str]), name)
        )
        values = {"digest": "0" * 64, "state": self.state, "version": 1}
        header: dict[str, Any] = {"__metadata__": {"budgetrs": text(values, sort=True)}}
        at, parts = 0, []
        for name in order:
            numbers = self.tensors[name]
            parts.append(numbers.tobytes())
            offsets = [at, at + len(parts[-1])]
            header[name] = {
                "dtype": kinds[numbers.dtype.str],
                "shape": [*numbers.shape],
                "data_offsets": offsets,
            }
            at = offsets[1]
        head = text(header).encode()
        head += b" " * (-len(head) % 8)
        return sign(len(head).to_bytes(8, "little") + head + b"".join(parts))


def text(tree: object, *, sort: bool = False) -> str:
    return json.dumps(tree, separators=(",", ":"), sort_keys=sort, ensure_ascii=False)


def sign(data: bytes) -> bytes:
    """Put the digest of a file with 64 zeros in its place."""
    at = data.index(b'"digest\\":\\"') + len(b'"digest\\":\\"')
    data = data[:at] + b"0" * 64 + data[at + 64 :]
    return data[:at] + hashlib.sha256(data).hexdigest().encode() + data[at + 64 :]


def number(bits: str) -> float:
    """Read the number of 16 hex digits."""
    return float(np.frombuffer(bytes.fromhex(bits), ">f8")[0])


def digits(value: float) -> str:
    """Write a number as 16 hex digits."""
    return np.array(value, ">f8").tobytes().hex()
