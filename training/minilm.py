"""MiniLM-L6 in JAX: the forward pass, batches, and the optimiser they are trained with."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from safetensors.numpy import load_file

from memory_platform.adapters.onnx_model import Encoding

WIDTH, HEADS, LAYERS = 384, 12, 6
KEPT = 0.9
"""1 − dropout."""
WEIGHTS = Path(__file__).resolve().parent / ".weights"

Parameters = dict[str, Any]
Batch = tuple[Any, Any, Any]


def pretrained() -> Parameters:
    """The weights of sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), fetched by `make train`."""
    (path,) = WEIGHTS.rglob("model.safetensors")
    held = load_file(path)
    return {
        name.removeprefix("bert."): jnp.asarray(value, jnp.float32)
        for name, value in held.items()
        if "position_ids" not in name and "pooler" not in name
    }


def hidden(weights: Parameters, batch: Batch, key: Any | None) -> Any:
    """Token vectors of shape (texts, tokens, WIDTH); with a key under dropout."""
    ids, types, mask = batch
    at = weights["embeddings.position_embeddings.weight"][jnp.arange(ids.shape[1])][None]
    state = weights["embeddings.word_embeddings.weight"][ids] + at
    state = state + weights["embeddings.token_type_embeddings.weight"][types]
    state = _normal(weights, "embeddings.LayerNorm", state)
    bias = (1 - mask)[:, None, None, :] * -1e9
    for layer in range(LAYERS):
        key, state = _layer(weights, f"encoder.layer.{layer}.", state, bias, key)
    return state


def _layer(weights: Parameters, name: str, state: Any, bias: Any, key: Any | None) -> tuple[Any, Any]:
    def heads(which: str) -> Any:
        value = _linear(weights, f"{name}attention.self.{which}", state)
        return value.reshape(*value.shape[:2], HEADS, WIDTH // HEADS).transpose(0, 2, 1, 3)

    query, keys, values = heads("query"), heads("key"), heads("value")
    shares = jax.nn.softmax(query @ keys.transpose(0, 1, 3, 2) / np.sqrt(WIDTH // HEADS) + bias, -1)
    mixed = (shares @ values).transpose(0, 2, 1, 3).reshape(state.shape)
    key, mixed = _dropped(key, _linear(weights, f"{name}attention.output.dense", mixed))
    state = _normal(weights, f"{name}attention.output.LayerNorm", state + mixed)
    inner = jax.nn.gelu(_linear(weights, f"{name}intermediate.dense", state), approximate=False)
    key, outer = _dropped(key, _linear(weights, f"{name}output.dense", inner))
    return key, _normal(weights, f"{name}output.LayerNorm", state + outer)


def _normal(weights: Parameters, name: str, state: Any) -> Any:
    mean = state.mean(-1, keepdims=True)
    variance = ((state - mean) ** 2).mean(-1, keepdims=True)
    return (state - mean) / jnp.sqrt(variance + 1e-12) * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _linear(weights: Parameters, name: str, state: Any) -> Any:
    return state @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _dropped(key: Any | None, state: Any) -> tuple[Any, Any]:
    if key is None:
        return None, state
    key, own = jax.random.split(key)
    return key, state * jax.random.bernoulli(own, KEPT, state.shape) / KEPT


def pooled(state: Any, mask: Any) -> Any:
    """The mean of the token vectors under the mask, of shape (texts, WIDTH)."""
    weight = mask[..., None]
    return (state * weight).sum(1) / weight.sum(1)


def embedding(weights: Parameters, batch: Batch, key: Any | None = None) -> Any:
    """Unit vectors, of shape (texts, WIDTH)."""
    vector = pooled(hidden(weights, batch, key), batch[2])
    return vector / jnp.linalg.norm(vector, axis=1, keepdims=True)


def features(weights: Parameters, batch: Batch, key: Any | None = None) -> Any:
    """Mean and first token vector side by side, of shape (texts, 2 · WIDTH): what the heads read."""
    state = hidden(weights, batch, key)
    return jnp.concatenate([pooled(state, batch[2]), state[:, 0]], -1)


def batch_of(encodings: Sequence[Encoding], *, rows: int | None = None, multiple: int = 16) -> Batch:
    """Arrays of one shape a multiple of tokens wide, so that few shapes are compiled; `rows` pads with repetitions."""
    held = [*encodings, *[encodings[-1]] * ((rows or len(encodings)) - len(encodings))]
    width = -(-max(len(one.ids) for one in held) // multiple) * multiple
    ids, types = np.zeros((len(held), width), np.int32), np.zeros((len(held), width), np.int32)
    mask = np.zeros((len(held), width), np.float32)
    for row, one in enumerate(held):
        ids[row, : len(one.ids)], types[row, : len(one.ids)], mask[row, : len(one.ids)] = one.ids, one.types, 1
    return ids, types, mask


def optimiser(rate: float, steps: int) -> optax.GradientTransformation:
    """AdamW with a tenth of warm-up, then a cosine."""
    schedule = optax.warmup_cosine_decay_schedule(0, rate, max(1, steps // 10), max(2, steps))
    return optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(schedule, weight_decay=0.01))


def stepper(loss: Callable[..., Any], optimise: optax.GradientTransformation) -> Callable[..., tuple[Any, Any, Any]]:
    """One compiled step: (weights, state, *inputs) → (weights, state, loss)."""

    @jax.jit
    def step(weights: Parameters, state: Any, *inputs: Any) -> tuple[Any, Any, Any]:
        value, gradient = jax.value_and_grad(loss)(weights, *inputs)
        updates, state = optimise.update(gradient, state, weights)
        return optax.apply_updates(weights, updates), state, value

    return step


def by_length(lengths: Sequence[int], size: int, random: np.random.Generator) -> Iterator[list[int]]:
    """Places in random batches of texts of like length."""
    order = random.permutation(len(lengths))
    for chunk in np.array_split(order, max(1, len(order) // (size * 20))):
        ordered = sorted(chunk.tolist(), key=lambda place: lengths[place])
        yield from (ordered[start : start + size] for start in range(0, len(ordered) // size * size, size))


def answers(
    function: Callable[[Parameters, Batch], Any], weights: Parameters, encodings: Sequence[Encoding], size: int = 32
) -> np.ndarray:
    """`function` of every encoding, in order, without dropout."""
    compiled = jax.jit(partial(function))
    order = sorted(range(len(encodings)), key=lambda place: len(encodings[place].ids))
    found: dict[int, np.ndarray] = {}
    for start in range(0, len(order), size):
        places = order[start : start + size]
        values = np.asarray(compiled(weights, batch_of([encodings[place] for place in places], rows=size)))
        found.update(zip(places, values, strict=False))
    return np.stack([found[place] for place in range(len(encodings))])
