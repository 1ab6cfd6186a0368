#!/usr/bin/env python3
"""Prints the entries of tests/engine/real_answers.h: prompts, llama.cpp's answers, and what float arithmetic says of them.

    tools/golden/real_answers.py MODELS_FOLDER ANSWER.json...

An answer file is what llama.cpp's server gave: prompt_ids, out_ids, and probs with the ten best of each step ("top"); its
name begins with the model's (smollm2_, gemma_). The float log-probabilities come from this script's own forward pass, with
weights dequantised by the package gguf. Needs numpy and gguf.
"""
import json
import sys
import textwrap
from pathlib import Path

import numpy as np
from gguf import GGUFReader, dequantize

SMOLLM2 = {"file": "SmolLM2-135M-Instruct.Q4_1.gguf", "name": "kSmolLm2", "layers": 30, "heads": 9, "kv_heads": 3,
           "head_dim": 64, "epsilon": 1e-5, "gemma": False}
GEMMA3 = {"file": "gemma-3-270m-q4_k_m.gguf", "name": "kGemma3", "layers": 18, "heads": 4, "kv_heads": 1,
          "head_dim": 256, "epsilon": 1e-6, "gemma": True}


def load(path):
    return {t.name: dequantize(t.data, t.tensor_type).astype(np.float32).reshape(*reversed(t.shape.tolist()))
            for t in GGUFReader(path).tensors}


def norm(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * weight


def rope(x, base, halves):
    dim = x.shape[-1]
    angle = np.arange(x.shape[0])[:, None] * base ** (-np.arange(0, dim, 2) / dim)
    cos, sin = np.cos(angle)[:, None], np.sin(angle)[:, None]
    first, second = (slice(0, dim // 2), slice(dim // 2, dim)) if halves else (slice(0, dim, 2), slice(1, dim, 2))
    a, b, y = x[..., first], x[..., second], np.empty_like(x)
    y[..., first], y[..., second] = a * cos - b * sin, a * sin + b * cos
    return y


def attention(model, weight, layer, h):
    count, dim, gemma = h.shape[0], model["head_dim"], model["gemma"]
    q = (h @ weight("attn_q").T).reshape(count, -1, dim)
    k = (h @ weight("attn_k").T).reshape(count, -1, dim)
    v = (h @ weight("attn_v").T).reshape(count, -1, dim)
    if gemma:  # the answers are shorter than the sliding window
        q = norm(q, weight("attn_q_norm"), model["epsilon"])
        k = norm(k, weight("attn_k_norm"), model["epsilon"])
    base = 1e5 if not gemma else 1e6 if layer % 6 == 5 else 1e4
    q, k = rope(q, base, gemma), rope(k, base, gemma)
    group = model["heads"] // model["kv_heads"]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = np.einsum("nhd,mhd->hnm", q, k) / np.sqrt(dim) + np.triu(np.full((count, count), -1e30), 1)
    scores = np.exp(scores - scores.max(-1, keepdims=True))
    scores /= scores.sum(-1, keepdims=True)
    return np.einsum("hnm,mhd->nhd", scores, v).reshape(count, -1) @ weight("attn_output").T


def log_probabilities(model, tensors, ids):
    gemma, epsilon = model["gemma"], model["epsilon"]
    table = tensors["token_embd.weight"]
    x = table[ids] * (np.sqrt(np.float32(table.shape[1])) if gemma else 1)
    for layer in range(model["layers"]):
        def weight(name, layer=layer):
            return tensors[f"blk.{layer}.{name}.weight"]
        out = attention(model, weight, layer, norm(x, weight("attn_norm"), epsilon))
        x = x + (norm(out, weight("post_attention_norm"), epsilon) if gemma else out)
        h = norm(x, weight("ffn_norm"), epsilon)
        gate = h @ weight("ffn_gate").T
        cubic = np.sqrt(2 / np.pi) * (gate + 0.044715 * gate ** 3)
        gate = 0.5 * gate * (1 + np.tanh(cubic)) if gemma else gate / (1 + np.exp(-gate))
        out = (gate * (h @ weight("ffn_up").T)) @ weight("ffn_down").T
        x = x + (norm(out, weight("post_ffw_norm"), epsilon) if gemma else out)
    logits = norm(x, tensors["output_norm.weight"], epsilon) @ table.T
    logits -= logits.max(-1, keepdims=True)
    return logits - np.log(np.exp(logits).sum(-1, keepdims=True))


def braces(values):
    text = "{" + ", ".join(map(str, values)) + "}"
    return textwrap.fill(text, 106, initial_indent="     ", subsequent_indent="      ")


def main():
    cache = {}
    for path in map(Path, sys.argv[2:]):
        model = GEMMA3 if path.name.startswith("gemma") else SMOLLM2
        if model["name"] not in cache:
            cache[model["name"]] = load(Path(sys.argv[1]) / model["file"])
        answer = json.loads(path.read_text(encoding="utf-8"))
        prompt, ids = answer["prompt_ids"], answer["out_ids"]
        table = log_probabilities(model, cache[model["name"]], prompt + ids[:-1])[len(prompt) - 1:]
        name = "".join(part.capitalize() for part in path.stem.split("_"))
        gaps = [round(step["top"][0][1] - step["top"][1][1], 3) for step in answer["probs"]]
        floats = [round(float(table[i, token]), 3) for i, token in enumerate(ids)]
        columns = [prompt, ids, gaps, floats]
        print(f'    {{"{name}", {model["name"]},\n' + ",\n".join(map(braces, columns)) + "},")


main()
