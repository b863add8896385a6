"""Fixed-width float32 vectors as Numba values: LLVM's `<n x float>`, which becomes AVX-512, AVX2, SSE or NEON code.

Plain Numba loops over z columns run 3 to 12 times slower, because LLVM does not vectorise them reliably. A `Width` is
part of its Numba type, so that it is a constant for the compiler.

    a = vload(array, offset, W16)       # 16 floats from a flat array
    vstore(array, offset, 2.0 * a + b)  # + - * / between vectors, or a vector and a scalar
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import lower_constant
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox
from numba.extending import intrinsic as numba_intrinsic

from lsgnn.propagate.prefetch import DATA, KEEP, READ
from lsgnn.train.fused.span import address

F32, I32 = ir.FloatType(), ir.IntType(32)
FLAGS = ("contract", "nsz")  # fuse a*b+c; NaN is not assumed away, so that divergence shows
Codegen: TypeAlias = Callable[[Any, Any, Any, Any], Any]  # (context, builder, signature, arguments) → LLVM value
Vec: TypeAlias = Any  # a vector inside a kernel; it has no form outside


@dataclass(frozen=True)
class Width:
    """How many floats a vector has, or how many rows something is done for together."""

    n: int

    def __len__(self) -> int:
        return self.n


W8, W16 = Width(8), Width(16)  # powers of two: LLVM takes other widths apart

BATCH = Width(8)  # rows that go through the perceptrons together: that many sums keep both multipliers busy


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """`numba.extending.intrinsic`: from argument types to a signature and the code that LLVM gets for it. Kernels call
    it without the first argument, `typing`."""
    return numba_intrinsic(function)  # type: ignore[no-any-return]


class VecType(types.Type):  # type: ignore[misc]  # Numba has no type hints
    def __init__(self, n: int) -> None:
        self.n = n
        super().__init__(name=f"float32x{n}")


class VecModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: VecType) -> None:
        super().__init__(manager, kind, ir.VectorType(F32, kind.n))


register_model(VecType)(VecModel)


class WidthType(types.Type):  # type: ignore[misc]
    def __init__(self, n: int) -> None:
        self.n = n
        super().__init__(name=f"width{n}")


register_model(WidthType)(models.OpaqueModel)


@typeof_impl.register(Width)  # type: ignore[untyped-decorator]
def type_of_width(value: Width, context: Any) -> WidthType:
    return WidthType(value.n)


@unbox(WidthType)  # type: ignore[untyped-decorator]
def unbox_width(kind: WidthType, value: Any, c: Any) -> NativeValue:
    return NativeValue(c.context.get_dummy_value())


@lower_constant(WidthType)  # type: ignore[untyped-decorator]
def constant_width(context: Any, builder: Any, kind: WidthType, value: Width) -> Any:
    return context.get_dummy_value()


@infer_global(len)
class WidthLength(AbstractTemplate):  # type: ignore[misc]
    def generic(self, arguments: Any, keywords: Any) -> Any:
        return signature(types.intp, *arguments) if isinstance(arguments[0], WidthType) else None


@lower_builtin(len, WidthType)  # type: ignore[untyped-decorator]
def length_of_width(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
    return context.get_constant(types.intp, sig.args[0].n)


def repeat(builder: Any, scalar: Any, n: int) -> Any:
    """A vector of n copies."""
    undefined = ir.Constant(ir.VectorType(scalar.type, n), ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(I32, 0))
    return builder.shuffle_vector(first, undefined, ir.Constant(ir.VectorType(I32, n), None))


def _call(builder: Any, name: str, result: Any, arguments: list[Any], fastmath: tuple[str, ...] = ()) -> Any:
    kind = ir.FunctionType(result, [a.type for a in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, arguments, fastmath=fastmath)


def fetch(builder: Any, place: Any) -> None:
    """Has the processor bring the line of an address into its caches; one that is not there does no harm."""
    line = builder.bitcast(place, ir.IntType(8).as_pointer())
    _call(builder, "llvm.prefetch.p0", ir.VoidType(), [line, *(ir.Constant(I32, x) for x in (READ, KEEP, DATA))])


def _load(n: int) -> Codegen:
    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = address(context, builder, sig.args[0], arguments[0], arguments[1])
        return builder.load(builder.bitcast(place, ir.VectorType(F32, n).as_pointer()), align=4)

    return codegen


@intrinsic
def vload(typing: Any, array: Any, offset: Any, width: Any) -> Any:
    """array[offset : offset + len(width)]"""
    return VecType(width.n)(array, types.int64, width), _load(width.n)


@intrinsic
def vload_like(typing: Any, array: Any, offset: Any, x: Any) -> Any:
    """As many floats from array[offset] on as x has."""
    return x(array, types.int64, x), _load(x.n)


@intrinsic
def vstore(typing: Any, array: Any, offset: Any, x: Any) -> Any:
    """array[offset : …] = x"""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = address(context, builder, sig.args[0], arguments[0], arguments[1])
        builder.store(arguments[2], builder.bitcast(place, arguments[2].type.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.int64, x), codegen


@intrinsic
def at(typing: Any, array: Any, offset: Any) -> Any:
    """array[offset] without the code that lets negative offsets count from the end."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return builder.load(address(context, builder, sig.args[0], arguments[0], arguments[1]))

    return array.dtype(array, types.int64), codegen


@intrinsic
def splat(typing: Any, scalar: Any, width: Any) -> Any:
    """A vector of equal numbers."""
    n = width.n
    return VecType(n)(types.float32, width), lambda context, builder, sig, arguments: repeat(builder, arguments[0], n)


def _define_operator(symbol: Any, instruction: str) -> None:
    """Vector ∘ vector and vector ∘ scalar, typed and lowered directly: no extra compilation per operator."""

    class Operator(AbstractTemplate):  # type: ignore[misc]
        def generic(self, arguments: Any, keywords: Any) -> Any:
            vectors = [a for a in arguments if isinstance(a, VecType)]
            if vectors and len(arguments) == 2 and all(isinstance(a, VecType | types.Number) for a in arguments):
                return signature(vectors[0], *(a if isinstance(a, VecType) else types.float32 for a in arguments))
            return None

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        n = sig.return_type.n
        pairs = zip(sig.args, arguments, strict=True)
        left, right = (x if isinstance(kind, VecType) else repeat(builder, x, n) for kind, x in pairs)
        return getattr(builder, instruction)(left, right, flags=FLAGS)

    infer_global(symbol)(Operator)
    for pair in ((VecType, VecType), (VecType, types.Float), (types.Float, VecType)):
        lower_builtin(symbol, *pair)(codegen)


for _symbol, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define_operator(_symbol, _instruction)


@intrinsic
def vsum(typing: Any, x: Any) -> Any:
    """The sum of the elements."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        name = f"llvm.vector.reduce.fadd.v{x.n}f32"
        return _call(builder, name, F32, [ir.Constant(F32, -0.0), arguments[0]], ("reassoc",))

    return types.float32(x), codegen


@intrinsic
def vgreatest(typing: Any, x: Any) -> Any:
    """The greatest of the elements."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _call(builder, f"llvm.vector.reduce.fmax.v{x.n}f32", F32, [arguments[0]])

    return types.float32(x), codegen


@intrinsic
def vsums(typing: Any, array: Any, offset: Any, width: Any) -> Any:
    """The sums of as many vectors as one has numbers, which lie in a row from array[offset] on: number k is the sum of
    vector k. Two by two they are folded into one that holds half as many parts of twice as many sums."""
    n = width.n

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        place = address(context, builder, sig.args[0], arguments[0], arguments[1])
        rows = builder.bitcast(place, ir.VectorType(F32, n).as_pointer())
        found = [builder.load(builder.gep(rows, [ir.Constant(I32, k)]), align=4) for k in range(n)]
        parts = n  # of each sum
        while parts > 1:
            half, starts = parts // 2, range(0, 2 * n, parts)
            left = ir.Constant(ir.VectorType(I32, n), [start + k for start in starts for k in range(half)])
            right = ir.Constant(ir.VectorType(I32, n), [start + half + k for start in starts for k in range(half)])
            pairs = zip(found[::2], found[1::2], strict=True)
            found = [
                builder.fadd(builder.shuffle_vector(a, b, left), builder.shuffle_vector(a, b, right), flags=FLAGS)
                for a, b in pairs
            ]
            parts = half
        return found[0]

    return VecType(n)(array, types.int64, width), codegen


def elementwise(x: Any, function: str) -> Any:
    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        return _call(builder, f"llvm.{function}.v{x.n}f32", arguments[0].type, arguments)

    return x(x), codegen


@intrinsic
def vsqrt(typing: Any, x: Any) -> Any:
    return elementwise(x, "sqrt")


@intrinsic
def vmax(typing: Any, x: Any, y: Any) -> Any:
    """The greater of both, number by number; y where x is NaN."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        greater = builder.fcmp_ordered(">", arguments[0], arguments[1])
        return builder.select(greater, arguments[0], arguments[1])

    return x(x, y), codegen


@intrinsic
def where_positive(typing: Any, condition: Any, x: Any) -> Any:
    """x where the condition is > 0, else 0: ReLU and its gradient. A NaN condition keeps x, as torch's ReLU does."""

    def codegen(context: Any, builder: Any, sig: Any, arguments: Any) -> Any:
        zero = ir.Constant(arguments[0].type, None)
        return builder.select(builder.fcmp_ordered("<=", arguments[0], zero), zero, arguments[1])

    return x(condition, x), codegen
