#!/usr/bin/env python3
"""Golden hashes for tests/quant/weight_block_test.cc, from the gguf package's own decoders.

Makes 64 blocks (16 of the formats with blocks of 256) of random bytes per format, with scales of both signs between
2^-7 and 2^-3, dequantises them with gguf.quants and prints the FNV-1a hash of the floats' bits, -0 as +0.
With a format's name as argument, prints the floats instead. Needs: pip install numpy gguf
"""

import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Type
from gguf.quants import dequantize

F16_FIELDS = {
    Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0], Type.IQ4_NL: [0],
    Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208],
}
MASK = (1 << 64) - 1


def splitmix64(state):
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield z ^ (z >> 31)


def make_bytes(kind):
    elems, size = GGML_QUANT_SIZES[kind]
    random = splitmix64(int(kind))
    count = 64 if elems == 32 else 16
    data = np.array([next(random) >> 56 for _ in range(count * size)], dtype=np.uint8).reshape(count, size)
    for block in data:
        for offset in F16_FIELDS[kind]:
            half = (int(block[offset]) | int(block[offset + 1]) << 8) & 0x8FFF | 0x2000
            block[offset], block[offset + 1] = half & 255, half >> 8
    return data.reshape(-1)


def fnv1a(words):
    value = 1469598103934665603
    for word in words:
        value = ((value ^ int(word)) * 1099511628211) & MASK
    return value


def main():
    for kind in F16_FIELDS:
        floats = dequantize(make_bytes(kind), kind).astype(np.float32).reshape(-1)
        if sys.argv[1:] == [kind.name]:
            print("\n".join(f"{value:.9g}" for value in floats))
        elif len(sys.argv) == 1:
            bits = np.where(floats == 0, np.float32(0), floats).view(np.uint32)
            print(f"{{TensorType::k{kind.name}, {fnv1a(bits)}ull}},")


main()
