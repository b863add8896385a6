"""Flat arrays as kernels see them: an address and a length, where Numba's own arrays are seven values each.

Indices are not checked and do not count from the end. Intrinsics take Numba's arrays as well (`data_of`), for tests.
"""

from __future__ import annotations

import operator
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, infer_global, signature
from numba.extending import lower_builtin, lower_getattr, models, register_model

WORDS = 2  # of eight bytes that a span takes in a record: address, length


class SpanType(types.Type):  # type: ignore[misc]  # Numba has no type hints
    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"span_{dtype}")


@register_model(SpanType)
class SpanModel(models.StructModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: SpanType) -> None:
        super().__init__(manager, kind, [("data", types.CPointer(kind.dtype)), ("length", types.intp)])


def data_of(context: Any, builder: Any, kind: Any, array: Any) -> Any:
    """The address of a span's or an array's first element."""
    if isinstance(kind, SpanType):
        return builder.extract_value(array, 0)
    return context.make_array(kind)(context, builder, array).data


def address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    """The address of array[offset]."""
    return builder.gep(data_of(context, builder, kind, array), [offset])


@infer_getattr
class SpanAttributes(AttributeTemplate):  # type: ignore[misc]
    key = SpanType

    def resolve_shape(self, kind: SpanType) -> Any:
        return types.UniTuple(types.intp, 1)


@lower_getattr(SpanType, "shape")  # type: ignore[untyped-decorator]
def shape_of(context: Any, builder: Any, kind: SpanType, span: Any) -> Any:
    return context.make_tuple(builder, types.UniTuple(types.intp, 1), [builder.extract_value(span, 1)])


@infer_global(operator.getitem)
class GetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, keywords: Any) -> Any:
        kind, index = arguments
        if isinstance(kind, SpanType) and isinstance(index, types.Integer):
            return signature(kind.dtype, kind, types.intp)
        return None


@infer_global(operator.setitem)
class SetItem(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, keywords: Any) -> Any:
        kind, index, _ = arguments
        if isinstance(kind, SpanType) and isinstance(index, types.Integer):
            return signature(types.none, kind, types.intp, kind.dtype)
        return None


@lower_builtin(operator.getitem, SpanType, types.Integer)  # type: ignore[untyped-decorator]
def get_item(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return builder.load(address(context, builder, sig.args[0], *arguments))


@lower_builtin(operator.setitem, SpanType, types.Integer, types.Any)  # type: ignore[untyped-decorator]
def set_item(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    builder.store(arguments[2], address(context, builder, sig.args[0], *arguments[:2]))
    return ir.Constant(ir.IntType(8).as_pointer(), None)
