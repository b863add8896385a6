"""Planetoid's pickles, read without letting them do anything: arrays, CSR matrices and lists of neighbours come out.

A pickle is a program: a general unpickler calls whatever the file names. Here the program is looked at first (only the
instructions that the publisher's files of 2016 are made of, with bounded arguments), then every name it may use is one
of the inert classes below, which keep what they are given. Only afterwards are arrays built, from bytes whose number
fits their shape, and matrices, whose indices lie inside; numpy's and scipy's own ways of unpickling never run.
"""

from __future__ import annotations

import io
import math
import pickle
import pickletools
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from lsgnn.errors import InputError

INSTRUCTIONS = {  # those that the publisher's files use, and no other
    *("PROTO", "STOP", "MARK", "NONE", "NEWTRUE", "NEWFALSE", "BININT", "BININT1", "BININT2"),
    *("SHORT_BINSTRING", "BINSTRING", "EMPTY_TUPLE", "TUPLE1", "TUPLE2", "TUPLE3", "TUPLE"),
    *("EMPTY_LIST", "APPEND", "APPENDS", "EMPTY_DICT", "SETITEM", "SETITEMS"),
    *("BINPUT", "LONG_BINPUT", "BINGET", "LONG_BINGET", "GLOBAL", "REDUCE", "NEWOBJ", "BUILD"),
}
MOST_TUPLES = 100  # the files have 16; thousands inside each other overflow the stack when they are hashed
NUMBERS = ((b"i4",), (b"i8",), (b"f4",), (b"f8",))  # no "O": an array of objects would hold anything


class _Inert:
    """Stands for an object of the file: it keeps what it was called with and the state it was given."""

    __slots__ = ("arguments", "state")
    arguments: tuple[Any, ...]
    state: Any

    def __new__(cls, *arguments: Any) -> Any:
        self = super().__new__(cls)
        self.arguments, self.state = arguments, None
        return self

    def __setstate__(self, state: Any) -> None:  # its presence also keeps pickles from setting attributes
        self.state = state


class _Array(_Inert):
    __slots__ = ()


class _Kind(_Inert):
    __slots__ = ()


class _Matrix(_Inert):
    __slots__ = ()


class _Name(_Inert):
    __slots__ = ()


class _Neighbours(dict[Any, Any]):
    """The file's defaultdict, without a factory that would be called for missing keys."""

    __slots__ = ()

    def __init__(self, *factory: Any) -> None:
        super().__init__()

    def __setstate__(self, state: Any) -> NoReturn:
        raise pickle.UnpicklingError("a dict with attributes")


NAMES = {
    ("numpy.core.multiarray", "_reconstruct"): _Array,
    ("numpy", "ndarray"): _Name,
    ("numpy", "dtype"): _Kind,
    ("scipy.sparse.csr", "csr_matrix"): _Matrix,
    ("collections", "defaultdict"): _Neighbours,
    ("__builtin__", "list"): _Name,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in NAMES:
            raise pickle.UnpicklingError(f"it names {f'{module}.{name}'[:80]!r}, which may run code")
        return NAMES[module, name]


def load_pickle(path: Path) -> NDArray[Any] | sp.csr_array | dict[int, list[int]]:
    """The one array, CSR matrix or dict of lists of integers in a pickle of protocol 2, as Python 2 wrote it."""
    content = path.read_bytes()
    try:
        _look_through(content)
        return _built(_Unpickler(io.BytesIO(content), encoding="bytes").load())
    except Exception as error:  # what a damaged pickle raises has no common type
        reason = (str(error) or type(error).__name__).splitlines()[0].rstrip(".")
        raise InputError(
            f"{path} is not a pickle of numbers as the publisher made it ({reason}), so it was not used: "
            "delete it and try again"
        ) from None


def _look_through(content: bytes) -> None:
    """Raises unless the program is made of known instructions, ends with the file and asks for no excess of memory."""
    tuples, stream = 0, io.BytesIO(content)
    for instruction, argument, _ in pickletools.genops(stream):
        if instruction.name not in INSTRUCTIONS:
            raise pickle.UnpicklingError(f"it uses the instruction {instruction.name}")
        tuples += instruction.name.startswith("TUPLE")
        if tuples > MOST_TUPLES:
            raise pickle.UnpicklingError(f"it holds more than {MOST_TUPLES} tuples")
        # memory is set aside for as many objects as this number says
        if instruction.name == "LONG_BINPUT" and int(argument or 0) > len(content):
            raise pickle.UnpicklingError(f"it numbers an object {argument}")
    if stream.tell() < len(content):
        raise pickle.UnpicklingError("it goes on after its end")


def _built(value: Any) -> NDArray[Any] | sp.csr_array | dict[int, list[int]]:
    if isinstance(value, _Array):
        return _array(value)
    if isinstance(value, _Matrix):
        return _matrix(value)
    if not isinstance(value, dict):
        raise ValueError("it holds neither an array nor a matrix nor a dict")
    for node, neighbours in value.items():
        if type(node) is not int or type(neighbours) is not list or any(type(other) is not int for other in neighbours):
            raise ValueError("a dict of it has more than integers and lists of integers")
    return dict(value)


def _array(value: Any) -> NDArray[Any]:
    """The array that numpy would have made of the state (1, shape, kind of number, column by column?, bytes)."""
    if not isinstance(value, _Array) or type(value.state) is not tuple or len(value.state) != 5:
        raise ValueError("an array of it is missing")
    _, shape, kind, by_column, content = value.state
    code = kind.arguments[:1] if isinstance(kind, _Kind) else ()
    if code not in NUMBERS or type(kind.state) is not tuple or kind.state[1:2] != (b"<",):
        raise ValueError("an array of it holds something else than numbers")
    if type(shape) is not tuple or len(shape) > 2 or any(type(size) is not int or size < 0 for size in shape):
        raise ValueError("an array of it has no shape")
    dtype = np.dtype("<" + code[0].decode())
    if type(content) is not bytes or len(content) != math.prod(shape) * dtype.itemsize:
        raise ValueError(f"an array of it does not fit its shape {shape}")
    numbers = np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if by_column is True else "C")
    return numbers.astype(dtype.newbyteorder("="))


def _matrix(value: _Matrix) -> sp.csr_array:
    """The CSR matrix of a state {"_shape": …, "indptr": …, "indices": …, "data": …}."""
    parts = value.state if isinstance(value.state, dict) else {}
    shape = parts.get(b"_shape")
    if type(shape) is not tuple or len(shape) != 2 or any(type(size) is not int for size in shape):
        raise ValueError("a matrix of it has no shape")
    data, indices, indptr = (_array(parts.get(key)) for key in (b"data", b"indices", b"indptr"))
    if not indices.dtype.kind == indptr.dtype.kind == "i":
        raise ValueError("a matrix of it has indices that are no integers")
    matrix = sp.csr_array((data, indices, indptr), shape=shape)
    matrix.check_format(full_check=True)  # indices outside the shape would read foreign memory later on
    return matrix
