"""`prefetch`: tells the processor which row a kernel reads soon, so that it is on its way from memory before.

Rows of neighbours lie anywhere, and no processor guesses where; waiting for them is most of what propagation takes.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

READ, KEEP, DATA = 0, 3, 1  # what LLVM calls reading, all caches, and data


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no type hints
def prefetch(typing: Any, values: Any, row: Any, column: Any) -> Any:
    """Fetches the line of values[row, column] in the background; a place that is not there does no harm."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array, (_, row, column) = signature.args[0], arguments
        struct = make_array(array)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, array, struct, [row, column], wraparound=False)
        pointer, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, whole, whole, whole])
        instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
        builder.call(instruction, [builder.bitcast(place, pointer), whole(READ), whole(KEEP), whole(DATA)])
        return context.get_dummy_value()

    return types.void(values, types.int64, types.int64), generate
