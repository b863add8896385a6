"""Compiled code that calls other compiled code by its address, so that the two can be compiled in two processes."""

from __future__ import annotations

from typing import Any

from numba import types

from lsgnn.train.fused.vector import intrinsic


@intrinsic
def call(typing: Any, address: Any, arguments: Any) -> Any:
    """Calls the function that `lsgnn.compiled.address_of` found for arguments of these types; it returns nothing."""
    kinds = list(arguments.types)

    def codegen(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        number, packed = values
        kind = context.call_conv.get_function_type(types.none, kinds)
        function = builder.inttoptr(number, kind.as_pointer())
        passed = [builder.extract_value(packed, k) for k in range(len(kinds))]
        context.call_conv.call_function(builder, function, types.none, kinds, passed)
        return context.get_dummy_value()

    return types.void(types.int64, arguments), codegen
