#!/usr/bin/env python3
"""Writes tests/backend/golden/<name>.txt from an answer of llama.cpp's server.

    likeliest_tokens.py ANSWER.json STEPS > tests/backend/golden/NAME.txt

ANSWER.json holds "prompt_ids" and, of POST /completion with temperature 0, return_tokens and n_probs 10, the tokens
("out_ids") and their likeliest alternatives ("probs"). The output is one line "prompt ID...", and one line a step:
the token that was taken, then ten times ID:LOGPROB.
"""
import json
import sys

path, steps = sys.argv[1], int(sys.argv[2])
with open(path) as file:
    answer = json.load(file)
print("prompt", *answer["prompt_ids"])
for token, step in list(zip(answer["out_ids"], answer["probs"]))[:steps]:
    print(token, *(f"{id}:{logprob}" for id, logprob in step["top"]))
