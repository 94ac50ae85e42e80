"""From weights to the files the product runs: an ONNX graph, quantised to int8 (weights by channel, activations as they
come).
"""

import warnings
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from memory_platform.heads import FOLDER
from training.claims import OUTPUTS
from training.minilm import HEADS, LAYERS, WIDTH

OPSET = 17
QUANTISED = ("MatMul", "Gather", "Attention")
INPUTS = ("input_ids", "token_type_ids", "attention_mask")

Weights = Mapping[str, Any]


def encoder(weights: Weights, path: Path = FOLDER / "encoder.onnx") -> None:
    """One output, `embedding`: unit vectors of shape (texts, WIDTH)."""
    graph = _Graph(weights)
    graph.transformer()
    graph.add("ReduceL2", ["mean"], "length", axes=[-1], keepdims=1)
    graph.add("Div", ["mean", "length"], "embedding")
    _write(graph, {"embedding": WIDTH}, path)


def claims(weights: Weights, path: Path = FOLDER / "claims.onnx") -> None:
    """One output a head: logits of shape (texts, its size)."""
    graph = _Graph(weights)
    graph.transformer()
    graph.add(
        "Slice", [graph.last, graph.whole("from", [0]), graph.whole("to", [1]), graph.whole("axis", [1])], "firsts"
    )
    graph.add("Squeeze", ["firsts", "axis"], "first")
    graph.add("Concat", ["mean", "first"], "seen", axis=-1)
    for name in OUTPUTS:
        graph.add("MatMul", ["seen", graph.constant(f"{name}.weights", weights[f"{name}.weights"])], f"{name}.product")
        graph.add("Add", [f"{name}.product", graph.constant(f"{name}.bias", weights[f"{name}.bias"])], name)
    _write(graph, OUTPUTS, path)


def weights_of(path: Path) -> dict[str, Any]:
    """The weights of a graph that was written here, as far as int8 kept them: to go on training from."""
    held = {one.name: numpy_helper.to_array(one) for one in onnx.load(path).graph.initializer}
    whole = {name.removesuffix("_quantized") for name in held if name.endswith("_quantized")}
    found = {
        name: (held[f"{name}_quantized"].astype(np.float32) - held[f"{name}_zero_point"]) * held[f"{name}_scale"]
        for name in whole
    }
    found |= {name: value for name, value in held.items() if name.endswith((".bias", "LayerNorm.weight"))}
    # A linear layer's weights are kept turned in the graph; tables and heads are not.
    return {name: value.T if name.startswith("encoder.") else value for name, value in found.items()}


class _Graph:
    """Nodes and constants of a BERT encoder, in the order they are added."""

    def __init__(self, weights: Weights) -> None:
        self._weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.last = ""

    def constant(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value, np.float32), name))
        return name

    def whole(self, name: str, value: Any) -> str:
        self.constants.append(numpy_helper.from_array(np.array(value, np.int64), name))
        return name

    def add(self, kind: str, inputs: list[str], output: str, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def transformer(self) -> None:
        """Token vectors (`last`) and their mean under the mask (`mean`)."""
        for name, value in (("one", 1), ("two_axes", [1, 2]), ("token_axis", [1]), ("last_axis", [-1])):
            self.whole(name, value)
        for name, number in (("ones", 1.0), ("minus", -1e9), ("half", 0.5), ("root", np.sqrt(2))):
            self.constant(name, number)
        self.constant("scale", 1 / np.sqrt(WIDTH // HEADS))
        self.whole("by_head", [0, 0, HEADS, WIDTH // HEADS])
        self.whole("together", [0, 0, WIDTH])
        self._embed()
        self.add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
        self.add("Unsqueeze", ["mask", "two_axes"], "mask_by_head")
        self.add("Sub", ["ones", "mask_by_head"], "hidden_places")
        self.add("Mul", ["hidden_places", "minus"], "mask_bias")
        for layer in range(LAYERS):
            self._layer(f"encoder.layer.{layer}.")
        self.add("Unsqueeze", ["mask", "last_axis"], "mask_by_token")
        self.add("Mul", [self.last, "mask_by_token"], "shown")
        self.add("ReduceSum", ["shown", "token_axis"], "sum", keepdims=0)
        self.add("ReduceSum", ["mask_by_token", "token_axis"], "count", keepdims=0)
        self.add("Div", ["sum", "count"], "mean")

    def _embed(self) -> None:
        # A count from zero without Range, which the graph optimiser turns into a Slice that fails.
        self.add("Shape", ["input_ids"], "shape")
        each = helper.make_tensor("each", TensorProto.INT64, [1], [1])
        self.add("ConstantOfShape", ["shape"], "every", value=each)
        self.add("CumSum", ["every", "one"], "positions", exclusive=1)
        tables = (("word", "input_ids"), ("token_type", "token_type_ids"), ("position", "positions"))
        for name, ids in tables:
            table = f"embeddings.{name}_embeddings.weight"
            self.add("Gather", [self.constant(table, self._weights[table]), ids], f"{name}_vectors")
        self.add("Add", ["word_vectors", "token_type_vectors"], "typed_vectors")
        self.last = self._normal(
            "embeddings.LayerNorm", self.add("Add", ["typed_vectors", "position_vectors"], "vectors")
        )

    def _layer(self, name: str) -> None:
        given = self.last
        for which in ("query", "key", "value"):
            flat = self._linear(f"{name}attention.self.{which}", given)
            self.add("Reshape", [flat, "by_head"], f"{flat}.heads")
            order = [0, 2, 3, 1] if which == "key" else [0, 2, 1, 3]
            self.add("Transpose", [f"{flat}.heads"], f"{name}{which}", perm=order)
        self.add("MatMul", [f"{name}query", f"{name}key"], f"{name}products")
        self.add("Mul", [f"{name}products", "scale"], f"{name}scaled")
        self.add("Add", [f"{name}scaled", "mask_bias"], f"{name}masked")
        self.add("Softmax", [f"{name}masked"], f"{name}shares", axis=-1)
        self.add("MatMul", [f"{name}shares", f"{name}value"], f"{name}mixed")
        self.add("Transpose", [f"{name}mixed"], f"{name}turned", perm=[0, 2, 1, 3])
        self.add("Reshape", [f"{name}turned", "together"], f"{name}joined")
        attended = self._linear(f"{name}attention.output.dense", f"{name}joined")
        middle = self._normal(f"{name}attention.output.LayerNorm", self.add("Add", [given, attended], f"{name}first"))
        inner = self._gelu(name, self._linear(f"{name}intermediate.dense", middle))
        outer = self._linear(f"{name}output.dense", inner)
        self.last = self._normal(f"{name}output.LayerNorm", self.add("Add", [middle, outer], f"{name}second"))

    def _gelu(self, name: str, given: str) -> str:
        self.add("Div", [given, "root"], f"{name}divided")
        self.add("Erf", [f"{name}divided"], f"{name}error")
        self.add("Add", [f"{name}error", "ones"], f"{name}raised")
        self.add("Mul", [given, f"{name}raised"], f"{name}doubled")
        return self.add("Mul", [f"{name}doubled", "half"], f"{name}activated")

    def _linear(self, name: str, given: str) -> str:
        weight = self.constant(f"{name}.weight", np.asarray(self._weights[f"{name}.weight"]).T)
        self.add("MatMul", [given, weight], f"{name}.product")
        return self.add("Add", [f"{name}.product", self.constant(f"{name}.bias", self._weights[f"{name}.bias"])], name)

    def _normal(self, name: str, given: str) -> str:
        held = [self.constant(f"{name}.{part}", self._weights[f"{name}.{part}"]) for part in ("weight", "bias")]
        return self.add("LayerNormalization", [given, *held], name, axis=-1, epsilon=1e-12)


def _write(graph: _Graph, outputs: Mapping[str, int], path: Path) -> None:
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["texts", "tokens"]) for name in INPUTS]
    answers = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["texts", n]) for name, n in outputs.items()]
    made = helper.make_graph(graph.nodes, path.stem, inputs, answers, graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, fused = Path(folder, "whole.onnx"), Path(folder, "fused.onnx")
        onnx.save(model, whole)
        options = FusionOptions("bert")
        options.enable_embed_layer_norm = False
        optimised = optimizer.optimize_model(
            str(whole),
            model_type="bert",
            num_heads=HEADS,
            hidden_size=WIDTH,
            optimization_options=options,
            # Any other level asks for torch.
            opt_level=0,
        )
        optimised.save_model_to_file(str(fused))
        quantize_dynamic(
            fused,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=list(QUANTISED),
            extra_options={"DefaultTensorType": TensorProto.FLOAT},
        )
    print(f"export: {path.name}, {path.stat().st_size / 1e6:.1f} MB", flush=True)
