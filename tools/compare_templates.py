#!/usr/bin/env python3
"""Compares our chat templates with python3-jinja2 on random snippets and on templates in the manner of real ones.

  compare_templates.py BINARY [--count N] [--seed S] [--show K] [--gguf FILE]

BINARY is tests/model/render_cases. Prints the differences; exit status 1 if there are any, 77 without jinja2.
Two errors count as equal whatever they say. KNOWN lists the errors that only we have.
"""
import argparse
import collections
import copy
import datetime
import json
import os
import random
import re
import subprocess
import sys
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from template_corpus import FAMILIES, NASTY, conversations  # noqa: E402
from template_grammar import Grammar  # noqa: E402

try:
    import jinja2
    import jinja2.ext
    import jinja2.sandbox
except ImportError:
    print("SKIP: python3-jinja2 is not installed")
    sys.exit(77)


class Generation(jinja2.ext.Extension):
    """{% generation %}, whose body is a scope of its own."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        call = self.call_method("_body")
        return jinja2.nodes.CallBlock(call, [], [], body).set_lineno(line)

    def _body(self, caller):
        return caller()


KNOWN = ("beyond 64 bits", "fit 64 bits", "'LoopContext' object is not iterable")


class Refused(Exception):
    pass


def raise_exception(message):
    raise Refused(message)


def strftime_now(form):
    return datetime.datetime(2024, 7, 26, 9, 5, 3).strftime(form)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def environment():
    env = jinja2.sandbox.ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = strftime_now
    return env



def expected(env, case):
    """("text", …) or ("error", …), what Python does."""
    variables = copy.deepcopy(case["variables"])  # Jinja's indent appends to a list that it is given by mistake
    try:
        text = env.from_string(case["template"]).render(**variables)
        text.encode("utf-8")
        return "text", text
    except RecursionError:
        return "skip", ""
    except Exception as problem:  # any Python error is an error of the template
        return "error", f"{type(problem).__name__}: {problem}"


def same(want, got):
    if want[0] == "skip":
        return True
    if "text" in got:
        return want == ("text", got["text"])
    if any(known in got["error"] for known in KNOWN):
        return True
    if want[0] != "error":
        return False
    return not want[1].startswith("Refused: ") or want[1][len("Refused: "):] in got["error"]


def run(binary, cases):
    lines = "".join(json.dumps(case) + "\n" for case in cases)
    done = subprocess.run([binary], input=lines.encode(), stdout=subprocess.PIPE, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(answers) != len(cases):
        print(f"the binary ended with {done.returncode} after {len(answers)} of {len(cases)} cases; the next one was")
        print(json.dumps(cases[len(answers)], indent=1) if len(answers) < len(cases) else "")
        sys.exit(1)
    return answers


def gguf_template(path):
    """The template inside a GGUF file: the string behind its key."""
    with open(path, "rb") as file:
        data = file.read(16 << 20)
    key = b"tokenizer.chat_template"
    at = data.index(key) + len(key) + 4
    size = int.from_bytes(data[at:at + 8], "little")
    return data[at + 8:at + 8 + size].decode()


def all_cases(args):
    templates = dict(FAMILIES)
    for path in args.gguf:
        templates[os.path.basename(path)] = gguf_template(path)
    cases = [{"template": t, "variables": v} for t in templates.values() for v in conversations()]
    cases += [{"template": t, "variables": v} for t, v in NASTY]
    grammar = Grammar(random.Random(args.seed))
    cases += [grammar.case() for _ in range(args.count)]
    return cases


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", type=int, default=10)
    parser.add_argument("--gguf", action="append", default=[])
    args = parser.parse_args()
    warnings.simplefilter("ignore")  # Python's compiler has opinions on random code
    env = environment()
    cases = all_cases(args)
    answers = run(args.binary, cases)
    outcomes = collections.Counter()
    shown = 0
    for case, got in zip(cases, answers):
        want = expected(env, case)
        if (want[0] == "text" and re.search(r"<[^>]* at 0x", want[1], re.I)) or want[1].startswith("AssertionError"):
            want = ("skip", "")  # addresses, and a compiler error of Jinja itself
        outcomes[want[0] if same(want, got) else "different"] += 1
        if not same(want, got) and shown < args.show:
            shown += 1
            print(f"--- template\n{case['template'][:1500]}\n--- variables {json.dumps(case['variables'])[:100]}")
            print(f"--- python {want}\n--- ours   {got}\n")
    print(f"{len(cases)} cases: " + ", ".join(f"{n} {k}" for k, n in sorted(outcomes.items())))
    sys.exit(1 if outcomes["different"] else 0)


if __name__ == "__main__":
    main()
