"""The inner loop of all dense products: a few rows of sums stay in registers while outer products are added to them.

    out[p, :] += Σ_o Σ_i  H[h + o·h_outer + i·h_inner + p·h_row] · B[b + o·b_outer + i·b_inner, :]

for p < P rows of one vector each. A column of H is P numbers, a row of B one vector: P multiplications per vector that
is loaded. LLVM is handed the loop ready-made, with P sums that it cannot but keep in registers.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from lsgnn.train.fused.span import data_of
from lsgnn.train.fused.vector import F32, FLAGS, fetch, intrinsic, repeat

I64 = ir.IntType(64)


@intrinsic
def add_outer_products(
    typing: Any, H: Any, h: Any, h_strides: Any, B: Any, b: Any, b_strides: Any, out: Any, o: Any, o_row: Any,
    counts: Any, from_zero: Any, rows: Any, width: Any, soon: Any,
) -> Any:  # fmt: skip
    """h_strides = (outer, inner, row), b_strides = (outer, inner), counts = (outer, inner); P = len(rows).

    soon = (distance, inner): what lies at H[h + distance + o·h_outer + i·inner] is fetched into the cache on the way,
    for the next call; or None."""
    P, n, fetches = rows.n, width.n, isinstance(soon, types.UniTuple)
    vector = ir.VectorType(F32, n)

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        _, h, h_strides, _, b, b_strides, _, o, o_row, counts, from_zero, _, _, soon = arguments
        data = [data_of(context, builder, sig.args[k], arguments[k]) for k in (0, 3, 6)]

        def vector_at(array: Any, offset: Any) -> Any:
            return builder.bitcast(builder.gep(array, [offset]), vector.as_pointer())

        def part(pair: Any, k: int) -> Any:
            return builder.extract_value(pair, k)

        targets = [vector_at(data[2], builder.add(o, builder.mul(o_row, ir.Constant(I64, p)))) for p in range(P)]
        sums = [cgutils.alloca_once(builder, vector) for _ in range(P)]
        zero = ir.Constant(vector, None)
        with builder.if_else(from_zero) as (fresh, going_on):
            with fresh:
                for total in sums:
                    builder.store(zero, total)
            with going_on:
                for total, target in zip(sums, targets, strict=True):
                    builder.store(builder.load(target, align=4), total)
        rows_apart = [builder.mul(part(h_strides, 2), ir.Constant(I64, p)) for p in range(P)]
        with cgutils.for_range(builder, part(counts, 0)) as outer:
            h_o = builder.add(h, builder.mul(outer.index, part(h_strides, 0)))
            b_o = builder.add(b, builder.mul(outer.index, part(b_strides, 0)))
            with cgutils.for_range(builder, part(counts, 1)) as inner:
                h_i = builder.add(h_o, builder.mul(inner.index, part(h_strides, 1)))
                b_i = builder.add(b_o, builder.mul(inner.index, part(b_strides, 1)))
                if fetches:
                    later = builder.add(h_o, builder.add(part(soon, 0), builder.mul(inner.index, part(soon, 1))))
                    fetch(builder, builder.gep(data[0], [later]))
                x = builder.load(vector_at(data[1], b_i), align=4)
                for total, apart in zip(sums, rows_apart, strict=True):
                    number = builder.load(builder.gep(data[0], [builder.add(h_i, apart)]))
                    product = builder.fmul(repeat(builder, number, n), x, flags=FLAGS)
                    builder.store(builder.fadd(builder.load(total), product, flags=FLAGS), total)
        for total, target in zip(sums, targets, strict=True):
            builder.store(builder.load(total), target, align=4)
        return context.get_dummy_value()

    three, two = types.UniTuple(types.int64, 3), types.UniTuple(types.int64, 2)
    at = types.int64
    later = two if fetches else soon
    return types.void(H, at, three, B, at, two, out, at, at, two, types.boolean, rows, width, later), codegen
