#!/usr/bin/env python3
"""Compares halfbyte's token ids with PyPI's `tokenizers` and `sentencepiece` on nasty texts.

    compare_tokenizers.py --tool build/tests/model/tokenize_lines [--short | --full]

Byte-level vocabularies (SmolLM2's, if its file is there, and one trained on the spot with all 256 bytes) are tried
under every pre-tokenizer; SentencePiece ones are Gemma's (--full), if its file is there, and three trained on the spot.
Exit codes: 0 all ids equal, 1 a difference (printed), 77 skipped because a package is missing.
"""

import argparse
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

import tokenizer_corpus

SKIPPED = 77
try:
    import gguf
    import sentencepiece
    import tokenizers
    from tokenizers import Regex, decoders, models, pre_tokenizers, trainers
except ImportError as error:
    print(f"skipped: {error.name} is missing; pip install tokenizers sentencepiece gguf")
    sys.exit(SKIPPED)

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

CLITICS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|"
LLAMA3 = (CLITICS + r"[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


def split(pattern):
    return pre_tokenizers.Split(Regex(pattern), "isolated")


def sequence(*stages, use_regex):
    spell = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)
    return pre_tokenizers.Sequence([*stages, spell])


# tokenizer.ggml.pre -> (the published tokenizer.json's pre-tokenizer, ignore_merges)
PRE_TOKENIZERS = {
    "gpt-2": (sequence(use_regex=True), False),
    "smollm": (sequence(pre_tokenizers.Digits(individual_digits=True), use_regex=True), False),
    "llama-bpe": (sequence(split(LLAMA3 % "{1,3}"), use_regex=False), True),
    "qwen2": (sequence(split(LLAMA3 % ""), use_regex=False), False),
    "minicpm5": (sequence(split(r"\p{N}{1,3}"), split(LLAMA3 % "+"), use_regex=False), True),
    "default": (sequence(split(r"[\p{P}\$\+<=>\^~\|]+"), split(GPT2), split(r"\p{N}+"), split("[0-9][0-9][0-9]"),
                         use_regex=False), False),
}


def write_gguf(path, kind, tokens, types, extra):
    """A model file with a vocabulary and nothing else. `extra` takes the writer."""
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_tokenizer_model(kind)
    writer.add_token_list(tokens)
    writer.add_token_types(types)
    extra(writer)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def our_ids(tool, model, texts, *options):
    """One list of ids and the decoded bytes for each text."""
    records = b"".join(struct.pack("<I", len(raw)) + raw for raw in (text.encode() for text in texts))
    done = subprocess.run([tool, model, *options], input=records, stdout=subprocess.PIPE, check=True)
    for line in done.stdout.decode().splitlines():
        ids, decoded = line.split("\t")
        yield [int(word) for word in ids.split()], bytes.fromhex(decoded)


class Report:
    def __init__(self):
        self.differences = 0

    def compare(self, name, texts, ours, theirs, lossless):
        wrong = 0
        for text, (ids, decoded), expected in zip(texts, ours, theirs, strict=True):
            if ids == expected and (not lossless or decoded == text.encode()):
                continue
            wrong += 1
            if wrong <= 3:
                print(f"  {text!r}\n    ours   {ids}\n    theirs {expected}\n    decoded {decoded!r}")
        print(f"{name}: {len(texts)} texts, {wrong} differ")
        self.differences += wrong


def compare_byte_level(report, args, name, vocab, folder):
    """`vocab`: (tokens, types, merges) of a byte-level vocabulary; its control tokens come from the text as well."""
    tokens, types, merges = vocab
    special = [token for token, kind in zip(tokens, types) if kind == CONTROL]
    texts = tokenizer_corpus.make(args.seed, args.texts, special)
    has_all_bytes = all(letter in tokens for letter in pre_tokenizers.ByteLevel.alphabet())
    for pre, (pre_tokenizer, ignore_merges) in PRE_TOKENIZERS.items():
        path = os.path.join(folder, f"{pre}.gguf")
        write_gguf(path, "gpt2", tokens, types, lambda writer: (writer.add_tokenizer_pre(pre),
                                                                writer.add_token_merges(merges)))
        peer = tokenizers.Tokenizer(models.BPE(
            vocab={token: i for i, token in enumerate(tokens)}, merges=[tuple(merge.split(" ")) for merge in merges],
            ignore_merges=ignore_merges))
        peer.pre_tokenizer = pre_tokenizer
        peer.add_special_tokens(special)
        theirs = [peer.encode(text, add_special_tokens=False).ids for text in texts]
        report.compare(f"{name}, {pre}", texts, our_ids(args.tool, path, texts, "parse_special"), theirs,
                       has_all_bytes)


def train_byte_level(seed):
    peer = tokenizers.Tokenizer(models.BPE())
    peer.pre_tokenizer = PRE_TOKENIZERS["gpt-2"][0]
    peer.decoder = decoders.ByteLevel()
    special = ["<|end|>", "<|end|><|end|>", "<|en"]
    trainer = trainers.BpeTrainer(vocab_size=6000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
                                  special_tokens=special, show_progress=False)
    peer.train_from_iterator(tokenizer_corpus.make(seed + 1, 3000, []), trainer)
    state = json.loads(peer.to_str())["model"]
    tokens = sorted(state["vocab"], key=state["vocab"].get)
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in state["merges"]]
    return tokens, [CONTROL if token in special else NORMAL for token in tokens], merges


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def field(number, value):
    """A field of a protocol buffer message: bytes or text, a float, or an integer."""
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    raw = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(raw)) + raw


def sentencepiece_model(tokens, types, scores, special, add_space_prefix, byte_fallback):
    """A SentencePiece BPE model with this vocabulary. `special`: ids of unk, bos and eos (-1: none)."""
    pieces = []
    for token, kind, score in zip(tokens, types, scores):
        text = token.replace(" ", "\u2581") if kind == USER_DEFINED else token
        pieces.append(field(1, field(1, text) + field(2, float(score)) + field(3, kind)))
    trainer = field(3, 2) + field(35, int(byte_fallback))
    for number, token in zip((40, 41, 42), special):
        trainer += field(number, token & (1 << 64) - 1)
    normalizer = field(1, "identity") + field(3, int(add_space_prefix)) + field(4, 0) + field(5, 1)
    return b"".join(pieces) + field(2, trainer) + field(3, normalizer)


def compare_sentencepiece(report, args, name, model_proto, path, lossless):
    peer = sentencepiece.SentencePieceProcessor(model_proto=model_proto)
    texts = tokenizer_corpus.make(args.seed, args.texts, [])
    # SentencePiece drops NUL, and cannot tell a U+2581 in the text from a space; halfbyte, like llama.cpp, can.
    texts = [text for text in texts if "\0" not in text and "\u2581" not in text]
    report.compare(name, texts, our_ids(args.tool, path, texts), peer.encode(texts), lossless)


def compare_gemma(report, args, path):
    fields = gguf.GGUFReader(path).fields
    tokens, types, scores = (fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "scores"))
    unk = fields["tokenizer.ggml.unknown_token_id"].contents()
    types = [UNKNOWN if i == unk else kind for i, kind in enumerate(types)]
    proto = sentencepiece_model(tokens, types, scores, (unk, 2, 1), False, True)
    compare_sentencepiece(report, args, "Gemma", proto, path, True)


def train_sentencepiece(seed, prefix, options):
    """Writes prefix.model; returns (tokens, types, scores, unknown id)."""
    with open(prefix + ".txt", "w", encoding="utf-8") as corpus:
        for text in tokenizer_corpus.make(seed + 2, 600, []):
            corpus.write(text.replace("\n", " ").replace("\0", "") + "\n")
    sentencepiece.SentencePieceTrainer.train(
        input=prefix + ".txt", model_prefix=prefix, vocab_size=3000, model_type="bpe", minloglevel=2,
        normalization_rule_name="identity", character_coverage=0.98, max_sentence_length=100000,
        split_by_whitespace=False, allow_whitespace_only_pieces=True, **options)
    peer = sentencepiece.SentencePieceProcessor(model_file=prefix + ".model")
    ids = range(peer.get_piece_size())
    user_defined = options.get("user_defined_symbols", [])
    types = [UNKNOWN if peer.is_unknown(i) else CONTROL if peer.is_control(i) else BYTE if peer.is_byte(i) else
             USER_DEFINED if peer.id_to_piece(i) in user_defined else NORMAL for i in ids]
    return [peer.id_to_piece(i) for i in ids], types, [peer.get_score(i) for i in ids], peer.unk_id()


def compare_trained_sentencepiece(report, args, folder):
    # A space prefix is put after user-defined tokens as well (as llama.cpp does), so the two are not combined.
    for name, options in (
            ("llama-like", {"byte_fallback": True, "add_dummy_prefix": True, "remove_extra_whitespaces": False}),
            ("no byte tokens", {"byte_fallback": False, "add_dummy_prefix": False, "remove_extra_whitespaces": False,
                                "user_defined_symbols": ["<tag>", "for\u2581("]}),
            ("squeezing spaces", {"byte_fallback": True, "add_dummy_prefix": True, "remove_extra_whitespaces": True})):
        prefix = os.path.join(folder, "spm")
        tokens, types, scores, unknown = train_sentencepiece(args.seed, prefix, options)
        tokens = [token.replace("\u2581", " ") if kind == USER_DEFINED else token for token, kind in zip(tokens, types)]

        def add_settings(writer):
            writer.add_token_scores(scores)
            writer.add_unk_token_id(unknown)
            writer.add_add_space_prefix(options["add_dummy_prefix"])
            writer.add_bool("tokenizer.ggml.remove_extra_whitespaces", options["remove_extra_whitespaces"])

        write_gguf(prefix + ".gguf", "llama", tokens, types, add_settings)
        compare_sentencepiece(report, args, f"SentencePiece, {name}", pathlib.Path(prefix + ".model").read_bytes(),
                              prefix + ".gguf", options["byte_fallback"] and not options["remove_extra_whitespaces"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", required=True, help="the tokenize_lines binary")
    parser.add_argument("--models", default=os.environ.get("HALFBYTE_MODEL_DIR") or
                        os.path.expanduser("~/.cache/halfbyte/models"), help="folder of the real models")
    parser.add_argument("--texts", type=int, help="texts of random kinds (default 400; with --full 20000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="the default")
    parser.add_argument("--full", action="store_true", help="many texts, all of Unicode, and Gemma (minutes)")
    args = parser.parse_args()
    args.texts = args.texts or (20000 if args.full else 400)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        compare_byte_level(report, args, "trained", train_byte_level(args.seed), folder)
        smollm = os.path.join(args.models, "SmolLM2-135M-Instruct.Q4_1.gguf")
        if os.path.exists(smollm):
            fields = gguf.GGUFReader(smollm).fields
            vocab = [fields[f"tokenizer.ggml.{key}"].contents() for key in ("tokens", "token_type", "merges")]
            compare_byte_level(report, args, "SmolLM2", vocab, folder)
        compare_trained_sentencepiece(report, args, folder)
        gemma = os.path.join(args.models, "gemma-3-270m-q4_k_m.gguf")
        if args.full and os.path.exists(gemma):
            compare_gemma(report, args, gemma)
    return 1 if report.differences else 0


if __name__ == "__main__":
    sys.exit(main())
