#!/usr/bin/env python3
"""Measures halfbyte beside llama.cpp on this machine: one engine at a time, in turns, and prints a table.

    tools/compare_llama.py MODEL.gguf... --llama-python VENV/bin/python [--threads 1,2] [--rounds 5]
                           [--tests pp512,tg64] [--json results.json] [--write docs/performance.md]

halfbyte is build/bench/engine_bench (cmake -B build -DHALFBYTE_BUILD_BENCH=ON; --engine-bench for another place).
llama.cpp is PyPI's llama-cpp-python, which builds it for this machine from its source distribution:

    python3 -m venv VENV && VENV/bin/pip install --no-binary llama-cpp-python llama-cpp-python

Each measurement is a process of its own that loads the model and does every test once; the engines take turns, and the
one that begins changes from round to round (AB BA AB ...), so that a slow minute of the machine hits both. A figure is
the median of the rounds with their range; a ratio is that of the medians, with its 95 % interval by resampling.

Two clocks: by wall-clock time, what a user sees; by CPU time of the process, which other programs disturb less. CPU
rates are tokens a second of CPU time times the threads: with the machine to itself both agree if no thread waits.

The same for less of a CPU: --isa avx2 (or scalar), beside a llama.cpp that was built with the same instructions:

    avx2    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON -DGGML_AVX512=OFF -DGGML_AVX_VNNI=OFF"
    avx512  ... and -DGGML_AVX512=ON -DGGML_AVX512_VNNI=OFF: no integer dot product
    scalar  CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_SSE42=OFF -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF -DGGML_F16C=OFF -DGGML_BMI2=OFF"

each in a venv of its own, and that venv's python as --llama-python.
"""
import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

TESTS = "pp128,pp512,tg64,tg32@1024"
CONTEXT, BATCH, WARM_UP_TOKENS, START_TOKENS = 2048, 512, 8, 6
RESAMPLES = 2000
BEGIN, END = "<!-- filled by tools/compare_llama.py -->\n", "<!-- end of filled -->"


# The llama.cpp side, run under --llama-python: the same measurements as bench/engine_bench.cc, in the same words.

def parse_test(name):
    sizes = name[2:].split("@")
    return name.startswith("tg"), int(sizes[0]), int(sizes[1]) if len(sizes) > 1 else 0


class Llama:
    def __init__(self, library, path, threads):
        self.library = library
        self.model = library.llama_model_load_from_file(path.encode(), library.llama_model_default_params())
        parameters = library.llama_context_default_params()
        parameters.n_ctx, parameters.n_batch = CONTEXT, BATCH
        parameters.n_threads = parameters.n_threads_batch = threads
        self.context = library.llama_init_from_model(self.model, parameters)
        self.memory = library.llama_get_memory(self.context)
        vocab = library.llama_vocab_n_tokens(library.llama_model_get_vocab(self.model))
        self.sequence = [(i * 7919 + 13) % (vocab - 100) + 100 for i in range(CONTEXT)]

    def clear(self):
        self.library.llama_memory_clear(self.memory, True)

    def decode(self, tokens):
        for first in range(0, len(tokens), BATCH):
            part = tokens[first:first + BATCH]
            array = (self.library.llama_token * len(part))(*part)
            if self.library.llama_decode(self.context, self.library.llama_batch_get_one(array, len(part))) != 0:
                sys.exit("llama_decode failed")

    def time_test(self, name, limit=CONTEXT):
        is_decode, count, depth = parse_test(name)
        tokens = self.sequence[depth:depth + min(count, limit)]
        self.clear()
        self.decode(self.sequence[:depth])
        begin = time.perf_counter(), time.process_time()
        for part in [[token] for token in tokens] if is_decode else [tokens]:
            self.decode(part)
        return {"test": name, "tokens": count, "wall_s": time.perf_counter() - begin[0],
                "cpu_s": time.process_time() - begin[1]}


def peak_rss():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def llama_child(path, threads, tests):
    import llama_cpp

    @llama_cpp.llama_log_callback
    def ignore(_level, _text, _data):
        pass

    llama_cpp.llama_log_set(ignore, None)
    llama_cpp.llama_backend_init()
    # Python itself is not what is compared: its time and memory are taken off.
    begin = time.perf_counter(), time.process_time(), peak_rss()
    llama = Llama(llama_cpp, path, threads)
    llama.decode(llama.sequence[:START_TOKENS])
    print(json.dumps({"test": "start", "wall_s": time.perf_counter() - begin[0],
                      "cpu_s": time.process_time() - begin[1], "peak_rss": peak_rss() - begin[2]}))
    for name in tests:
        llama.time_test(name, WARM_UP_TOKENS)
    for name in tests:
        print(json.dumps(llama.time_test(name)))


# The comparison.

def measure(command):
    """The records of one process, by test, and the load of the machine while it ran."""
    run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"compare_llama: '{' '.join(command)}' failed with {run.returncode}")
    records = {record["test"]: record for record in map(json.loads, run.stdout.splitlines())}
    return records, os.getloadavg()[0]


def commands(options, model, threads):
    return {"halfbyte": [options.engine_bench, model, "--threads", str(threads), "--tests", options.tests,
                         "--isa", options.isa],
            "llama": [options.llama_python, __file__, "--llama-child", model, str(threads), options.tests]}


def run_rounds(options, model, threads):
    rounds = {"halfbyte": [], "llama": []}
    loads = []
    for index in range(options.rounds):
        engines = list(commands(options, model, threads).items())
        for engine, command in engines if index % 2 == 0 else reversed(engines):
            records, load = measure(command)
            rounds[engine].append(records)
            loads.append(load)
            print(f"{Path(model).name}, {threads} threads, round {index + 1}: {engine}, load {load:.1f}", file=sys.stderr)
    return {"model": Path(model).name, "model_bytes": os.path.getsize(model), "threads": threads,
            "tests": options.tests.split(","), "loads": loads, "rounds": rounds}


def interval_of_ratio(above, below):
    """95 % of the ratios of medians when both samples are drawn again from themselves."""
    draw = random.Random(1)
    ratios = sorted(statistics.median(draw.choices(above, k=len(above))) /
                    statistics.median(draw.choices(below, k=len(below))) for _ in range(RESAMPLES))
    return ratios[RESAMPLES * 25 // 1000], ratios[RESAMPLES * 975 // 1000 - 1]


def samples(records, test, quantity, threads):
    if quantity == "wall":
        return [record[test]["tokens"] / record[test]["wall_s"] for record in records]
    if quantity == "cpu":
        return [threads * record[test]["tokens"] / record[test]["cpu_s"] for record in records]
    return [record[test][quantity] for record in records]


def rows_of(tests):
    """(name, test, quantity, factor to the unit, whether less is better)"""
    speeds = [(f"{test}, tokens/s by {clock}", test, clock, 1, False) for test in tests for clock in ("wall", "cpu")]
    return speeds + [("first token, CPU ms", "start", "cpu_s", 1e3, True),
                     ("peak RSS, MB", "start", "peak_rss", 1e-6, True)]


def summarise(group):
    rows = []
    for name, test, quantity, factor, less in rows_of(group["tests"]):
        values = {engine: [factor * value for value in samples(records, test, quantity, group["threads"])]
                  for engine, records in group["rounds"].items()}
        above, below = (values["llama"], values["halfbyte"]) if less else (values["halfbyte"], values["llama"])
        rows.append({"name": name, "values": values, "ratio": statistics.median(above) / statistics.median(below),
                     "interval": interval_of_ratio(above, below)})
    return rows


def spread(values):
    digits = 0 if statistics.median(values) >= 100 else 1
    return f"{statistics.median(values):.{digits}f} ({min(values):.{digits}f} .. {max(values):.{digits}f})"


def decode_share(group):
    """What decoding reads beside what a read loop has, by wall-clock time, in the medians of the same processes."""
    decode = next((test for test in group["tests"] if test.startswith("tg") and "@" not in test), None)
    if decode is None:
        return ""
    records = group["rounds"]["halfbyte"]
    rate = statistics.median(samples(records, decode, "wall", group["threads"])) * records[0]["start"]["weight_bytes"] / 1e9
    read = statistics.median(record["read"]["gbps"] for record in records)
    return f"; {decode} reads {rate:.1f} GB/s, a read loop {read:.1f} ({100 * rate / read:.0f} %)"


def table(group):
    lines = [f"**{group['model']}, {group['threads']} thread{'s' if group['threads'] > 1 else ''}**, "
             f"{len(group['rounds']['llama'])} rounds, load {min(group['loads']):.1f} to {max(group['loads']):.1f}"
             f"{decode_share(group)}", "",
             "| | halfbyte | llama.cpp | better by (95 %) |", "|---|--:|--:|--:|"]
    for row in summarise(group):
        low, high = row["interval"]
        lines.append(f"| {row['name']} | {spread(row['values']['halfbyte'])} | {spread(row['values']['llama'])} | "
                     f"{row['ratio']:.2f}x ({low:.2f} .. {high:.2f}) |")
    return "\n".join(lines) + "\n"


def cpu_name():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def report(options, groups):
    version = subprocess.run([options.llama_python, "-c", "import llama_cpp; print(llama_cpp.__version__)"],
                             stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    machine = f"{cpu_name()}, {os.cpu_count()} CPUs; llama-cpp-python {version}; halfbyte --isa {options.isa}"
    return {"schema": "halfbyte.compare_llama/1", "machine": machine, "groups": groups}


def markdown(results):
    return f"{results['machine']}\n\n" + "\n".join(table(group) for group in results["groups"])


def fill(path, text):
    """Puts `text` between the markers of the page."""
    page = Path(path).read_text(encoding="utf-8")
    before, rest = page.split(BEGIN, 1)
    Path(path).write_text(before + BEGIN + text + END + rest.split(END, 1)[1], encoding="utf-8")


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="MODEL.gguf")
    parser.add_argument("--llama-python", required=True, help="the Python that has llama_cpp")
    build = Path(__file__).resolve().parent.parent / "build"
    parser.add_argument("--engine-bench", default=str(build / "bench/engine_bench"))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--tests", default=TESTS, help="ppN: prefill, tgN: decode, @D: at depth D (default %(default)s)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--isa", default="auto", help="halfbyte's instruction set")
    parser.add_argument("--json", help="write every measurement here")
    parser.add_argument("--write", metavar="PAGE.md", help="put the tables between the markers of this page")
    return parser.parse_args()


def main():
    if sys.argv[1:2] == ["--llama-child"]:
        return llama_child(sys.argv[2], int(sys.argv[3]), sys.argv[4].split(","))
    options = parse_options()
    threads = [int(count) for count in options.threads.split(",")]
    groups = [run_rounds(options, model, count) for model in options.models for count in threads]
    results = report(options, groups)
    if options.json:
        Path(options.json).write_text(json.dumps(results, indent=1), encoding="utf-8")
    if options.write:
        fill(options.write, markdown(results))
    print(markdown(results), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
