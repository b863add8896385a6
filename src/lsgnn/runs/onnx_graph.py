"""A few lines of ONNX: operations that add themselves to a graph and return the name of their output.

`runs/onnx_head.py` writes the model with it. Building the graph by hand needs no tracer, and the file is the same
every time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from torch import Tensor, nn

from lsgnn.extras import optional

OPSET, IR_VERSION = 17, 8  # of 2022, so that old runtimes read the file too

Shape = Sequence[int | str]


class OnnxGraph:
    """An ONNX graph in the making; values are known by their names."""

    def __init__(self) -> None:
        self.onnx = optional("onnx", "onnx")
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Adds one operation."""
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, value: Any) -> str:
        """Adds an array: integers as int64 (shapes and axes), everything else as float32."""
        array = value.detach().cpu().numpy() if isinstance(value, Tensor) else np.asarray(value)
        array = array.astype(np.int64 if array.dtype.kind == "i" else np.float32)
        name = f"constant_{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def linear(self, layer: nn.Module, x: str) -> str:
        """x Wᵀ + b over the last axis, whatever comes before it."""
        assert isinstance(layer, nn.Linear)
        return self.op("Add", self.op("MatMul", x, self.constant(layer.weight.T)), self.constant(layer.bias))

    def silu(self, x: str) -> str:
        return self.op("Mul", x, self.op("Sigmoid", x))

    def perceptron(self, layers: nn.Module, x: str) -> str:
        """Linear → SiLU → Linear."""
        assert isinstance(layers, nn.Sequential)
        return self.linear(layers[2], self.silu(self.linear(layers[0], x)))

    def with_square(self, x: str) -> str:
        """[…] → […, 2]: the value and its square."""
        axis = self.constant([-1])
        parts = (self.op("Unsqueeze", value, axis) for value in (x, self.op("Mul", x, x)))
        return self.op("Concat", *parts, axis=-1)

    def unit_length(self, x: str) -> str:
        """Rows of the last axis scaled to length one; zero rows stay zero."""
        size = self.op("ReduceL2", x, axes=[-1], keepdims=1)
        return self.op("Div", x, self.op("Max", size, self.constant(np.float32(1e-12))))

    def scaled(self, x: str, scale: Tensor, shift: Tensor) -> str:
        """x · scale + shift, as a trained batch norm does."""
        return self.op("Add", self.op("Mul", x, self.constant(scale)), self.constant(shift))

    def slice(self, x: str, start: int, stop: int) -> str:
        """Entries start … stop-1 of the first axis."""
        return self.op("Slice", x, *(self.constant([value]) for value in (start, stop, 0)))

    def model(
        self, inputs: Mapping[str, Shape], outputs: Mapping[str, tuple[str, Shape]], facts: Mapping[str, str], doc: str
    ) -> Any:
        """The checked ONNX model; `outputs` maps public names to (value, shape), `facts` become its metadata."""
        helper, float32 = self.onnx.helper, self.onnx.TensorProto.FLOAT
        for name, (value, _) in outputs.items():
            self.nodes.append(helper.make_node("Identity", [value], [name], name=name))
        graph = helper.make_graph(
            self.nodes,
            "lsgnn",
            [helper.make_tensor_value_info(name, float32, shape) for name, shape in inputs.items()],
            [helper.make_tensor_value_info(name, float32, shape) for name, (_, shape) in outputs.items()],
            self.constants,
        )
        opset = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opset, ir_version=IR_VERSION, producer_name="lsgnn")
        model.doc_string = doc
        helper.set_model_props(model, dict(facts))
        self.onnx.checker.check_model(model, full_check=True)
        return model
