"""Named tuples of arrays and numbers, handed to kernels by their address.

Numba takes named tuples apart: every array in them is seven arguments of every function that is handed it, six hundred
in all, and typing, lowering and optimising them was most of the time that the engine took to compile. A `Record` is one
pointer; a field is loaded where it is used. Records do not change while a kernel runs, and LLVM is told so, so that it
loads what a loop needs before the loop.

Of a field the annotation counts: `int`, `float`, `bool`, `np.float32`, an `NDArray` of one type, another named tuple,
or a `Width`, which is part of the type.
"""

from __future__ import annotations

from functools import cache
from struct import pack
from typing import Any, NamedTuple, TypeVar, cast, get_args, get_origin, get_type_hints

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, lower_getattr_generic, models, register_model, typeof_impl, unbox
from numba.np.numpy_support import from_dtype

from lsgnn.train.fused.span import WORDS, SpanType
from lsgnn.train.fused.vector import Width, WidthType

T = TypeVar("T")
WORD = ir.IntType(64)
NUMBERS = {int: types.int64, float: types.float64, bool: types.boolean, np.float32: types.float32}
STORED = {int: "q", float: "d", bool: "q", np.float32: "f4x"}  # a word each, see `struct`


class RecordType(types.Type):  # type: ignore[misc]  # Numba has no type hints
    def __init__(self, form: type, widths: tuple[int, ...]) -> None:
        self.form, self.widths = form, widths
        super().__init__(name="_".join([form.__name__, *map(str, widths)]))


class Field(NamedTuple):
    kind: Any  # Numba's type
    at: int  # word


@cache
def fields_of(kind: RecordType) -> dict[str, Field]:
    """Where each field lies."""
    fields, at, widths = dict[str, Field](), 0, iter(kind.widths)
    for name, hint in hints_of(kind.form).items():
        if hint is Width:
            fields[name] = Field(WidthType(next(widths)), at)
            continue
        field = NUMBERS.get(hint)
        if get_origin(hint) is np.ndarray:
            field = SpanType(from_dtype(element_of(hint)))
        fields[name] = Field(field if field is not None else RecordType(hint, ()), at)
        at += WORDS if isinstance(fields[name].kind, SpanType) else 1
    return fields


@cache
def hints_of(form: type) -> dict[str, Any]:
    return get_type_hints(form)


def element_of(hint: Any) -> np.dtype[Any]:
    """What an NDArray is of."""
    element: type[np.generic] = get_args(get_args(hint)[1])[0]
    return np.dtype(element)


@cache
def storage_of(form: type) -> list[tuple[Any, str, np.dtype[Any] | None]]:
    """Of each field the annotation, the form of a number, what an array is of."""
    arrays = {hint: element_of(hint) for hint in hints_of(form).values() if get_origin(hint) is np.ndarray}
    return [(hint, STORED.get(hint, ""), arrays.get(hint)) for hint in hints_of(form).values()]


class Record:
    """A named tuple in the form that kernels take; keeps alive what it points to."""

    def __init__(self, values: Any) -> None:
        self.form: type = values.__class__
        self.kept, words, widths = list[Any](), bytearray(), list[int]()
        for value, (hint, form, element) in zip(values, storage_of(self.form), strict=True):
            if hint is Width:
                widths.append(len(value))
            elif form:
                words += pack(form, value)
            elif element is not None:
                if value.dtype != element or value.ndim != 1 or not value.flags.c_contiguous:
                    raise TypeError(f"{self.form.__name__} has {value.dtype} [{value.ndim} axes], declared is {hint}")
                self.kept.append(value)
                words += pack("qq", value.ctypes.data, len(value))
            else:
                self.kept.append(Record(value))
                words += pack("q", self.kept[-1].address)
        self.memory, self.widths = np.frombuffer(words + bytes(8), np.int64), tuple(widths)
        self.address = self.memory.ctypes.data


def record(values: T) -> T:
    """For a kernel's argument: a `Record` of these values, which mypy may take for the named tuple; None stays None."""
    return cast(T, None if values is None else Record(values))


@typeof_impl.register(Record)  # type: ignore[untyped-decorator]
def type_of(value: Record, context: Any) -> RecordType:
    return RecordType(value.form, value.widths)


@register_model(RecordType)
class RecordModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: RecordType) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@unbox(RecordType)  # type: ignore[untyped-decorator]
def unbox_record(kind: RecordType, value: Any, c: Any) -> NativeValue:
    number = c.pyapi.object_getattr_string(value, "address")
    pointer = c.builder.bitcast(c.pyapi.long_as_voidptr(number), WORD.as_pointer())
    c.pyapi.decref(number)
    return NativeValue(pointer, is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@infer_getattr
class RecordAttributes(AttributeTemplate):  # type: ignore[misc]
    key = RecordType

    def generic_resolve(self, kind: RecordType, name: str) -> Any:
        field = fields_of(kind).get(name)
        return None if field is None else field.kind


@lower_getattr_generic(RecordType)  # type: ignore[untyped-decorator]
def load_field(context: Any, builder: Any, kind: RecordType, pointer: Any, name: str) -> Any:
    field = fields_of(kind)[name]
    if isinstance(field.kind, WidthType):
        return context.get_dummy_value()

    def word(at: int, kind: Any) -> Any:
        place = builder.gep(pointer, [ir.Constant(WORD, at)], inbounds=True)
        value = builder.load(builder.bitcast(place, context.get_value_type(kind).as_pointer()), align=8)
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(field.kind, SpanType):
        span = cgutils.create_struct_proxy(field.kind)(context, builder)
        span.data, span.length = word(field.at, types.CPointer(field.kind.dtype)), word(field.at + 1, types.intp)
        return span._getvalue()
    if field.kind is types.boolean:
        return builder.icmp_unsigned("!=", word(field.at, types.int64), ir.Constant(WORD, 0))
    return word(field.at, field.kind)
