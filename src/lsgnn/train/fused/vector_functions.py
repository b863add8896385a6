"""Functions of vectors that LLVM has no instruction for: exp, the logistic function and dropout's random masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from lsgnn.compiled import inlined
from lsgnn.train.fused.vector import F32, I32, Vec, VecType, elementwise, intrinsic, repeat


@intrinsic
def _round(typing: Any, x: Any) -> Any:
    return elementwise(x, "rint")


@intrinsic
def _clamp(typing: Any, x: Any, limit: Any) -> Any:
    """x within [-limit, limit]; NaN stays NaN."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        high = repeat(builder, arguments[1], x.n)
        low = builder.fneg(high)
        capped = builder.select(builder.fcmp_ordered(">", arguments[0], high), high, arguments[0])
        return builder.select(builder.fcmp_ordered("<", capped, low), low, capped)

    return x(x, types.float32), codegen


@intrinsic
def _power_of_two(typing: Any, x: Any) -> Any:
    """2**x for integral x in [-126, 127], by writing the exponent bits."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        integers = ir.VectorType(I32, x.n)
        exponent = builder.add(builder.fptosi(arguments[0], integers), repeat(builder, ir.Constant(I32, 127), x.n))
        return builder.bitcast(builder.shl(exponent, repeat(builder, ir.Constant(I32, 23), x.n)), arguments[0].type)

    return x(x), codegen


@inlined
def vexp(x: Vec) -> Vec:
    """exp(x) to about 1 ulp, x clamped to ±80: the polynomial of Cephes' expf (pip's Numba comes without SVML)."""
    y = _clamp(x, np.float32(80.0))
    n = _round(y * np.float32(1.44269504088896341))
    r = y - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    p = r * np.float32(1.9875691500e-4) + np.float32(1.3981999507e-3)
    p = p * r + np.float32(8.3334519073e-3)
    p = p * r + np.float32(4.1665795894e-2)
    p = p * r + np.float32(1.6666665459e-1)
    p = p * r + np.float32(5.0000001201e-1)
    # a NaN comes through the polynomial: its power of two is some integer
    return (p * r * r + r + np.float32(1.0)) * _power_of_two(n)


@inlined
def vsigmoid(x: Vec) -> Vec:
    return np.float32(1.0) / (vexp(x * np.float32(-1.0)) + np.float32(1.0))


@intrinsic
def dropout_mask(typing: Any, base: Any, column: Any, threshold: Any, scale: Any, width: Any) -> Any:
    """`scale` where hash(base, column + i) ≥ threshold, else 0, for i = 0 … len(width)-1.

    A counter-based hash (Wellons' lowbias32), so that a mask depends on nothing but its own numbers.
    """
    n = width.n

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        base, column, threshold, scale, _ = arguments
        kind = ir.VectorType(I32, n)

        def constant(value: int) -> Any:
            return repeat(builder, ir.Constant(I32, value), n)

        def fold(h: Any, shift: int) -> Any:
            return builder.xor(h, builder.lshr(h, constant(shift)))

        count = builder.add(repeat(builder, builder.trunc(column, I32), n), ir.Constant(kind, list(range(n))))
        h = builder.add(repeat(builder, base, n), builder.mul(count, constant(0x85EBCA6B)))
        h = builder.mul(fold(h, 16), constant(0x7FEB352D))
        h = fold(builder.mul(fold(h, 15), constant(0x846CA68B)), 16)
        keep = builder.icmp_unsigned(">=", h, repeat(builder, threshold, n))
        return builder.select(keep, repeat(builder, scale, n), ir.Constant(ir.VectorType(F32, n), None))

    return VecType(n)(types.uint32, types.int64, types.uint32, types.float32, width), codegen
