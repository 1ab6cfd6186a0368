#!/usr/bin/env python3
"""Compiles the Vulkan kernels for phone GPUs without a phone, and compares with what was recorded.

  phone_shaders.py --build build                                  all kernels for all GPUs, as a table
  phone_shaders.py --build build --device adreno-740 [--json|--isa] [--kernel matvec_q4_0_x1_mixed]
  phone_shaders.py --build build --check [--quick]                a test: a figure worse than recorded is a failure
  phone_shaders.py --build build --renew "why"                    records what is measured now

The records are tests/phone/golden/MESA-VERSION/GPU.json; docs/phone-shaders.md is made of them. Exit status 77: skipped.
"""
import argparse
import json
import re
import sys
from pathlib import Path

import harness

GOLDEN = harness.ROOT / "tests/phone/golden"
SKIPPED = 77
# What --quick compiles: for one GPU of each kind of loop, the decode matvecs of one format. What a GPU must refuse is
# looked up for all kernels.
QUICK_TYPE = "kQ4_0"
QUICK_PHONES = ["adreno-630", "adreno-660", "adreno-740", "adreno-830", "adreno-840", "mali-g610"]
# Recorded for every GPU; the other kernels for those of --quick only, elsewhere it is enough that they compile.
EVERYWHERE = [f"matvec_{kind}_x1" for kind in ("q4_0", "q4_1", "q4_k", "q5_0", "q6_k", "q8_0")]
BIGGER_IS_BETTER = {"waves", "load_bytes"}
NEITHER = {"nops", "FMA", "CVT"}  # part of the slots

# The gates of the decode matvec: GPU -> kernel, and at most so many slots a weight, loads a weight, registers.
ADRENO, MALI = 16, 32
GATES = {
    "adreno-630": ("matvec_q4_0_x1_float", 4.1, 0.10, ADRENO),
    "adreno-660": ("matvec_q4_0_x1_mixed_shuffle", 1.3, 0.10, ADRENO),
    "adreno-740": ("matvec_q4_0_x1_mixed_shuffle", 1.0, 0.10, ADRENO),
    "adreno-750": ("matvec_q4_0_x1_mixed_shuffle", 1.0, 0.10, ADRENO),
    "adreno-830": ("matvec_q4_0_x1_mixed_shuffle", 1.2, 0.10, ADRENO),
    "adreno-840": ("matvec_q4_0_x1_mixed_shuffle", 1.2, 0.10, ADRENO),
    "mali-g610": ("matvec_q4_0_x1_signed_shuffle", 0.85, 0.10, MALI),
    "mali-g720": ("matvec_q4_0_x1_signed_shuffle", 0.85, 0.10, MALI),
}
MALI_SFU = 0.20


def driver_version(facts):
    return re.search(r"Mesa (\d+\.\d+\.\d+)", facts["driver"]).group(1)


def golden_path(phone):
    return GOLDEN / driver_version(phone.facts) / f"{phone.name}.json"


def broken_gates(name, figures):
    if name not in GATES:
        return []
    kernel, slots, loads, registers = GATES[name]
    if kernel not in figures:
        return []
    limits = {"slots": slots, "loads": loads, "registers": registers, "spills": 0}
    if name.startswith("mali"):
        limits |= {"SFU": MALI_SFU, "LS": 0.10}
    found = figures[kernel]
    broken = [f"{name}: {kernel}: {what} is {found.get(what)}, the gate is {limit}"
              for what, limit in limits.items() if found.get(what, limit + 1) > limit]
    if found.get("load_bytes", 0) < 16:
        broken.append(f"{name}: {kernel}: loads at most {found.get('load_bytes')} bytes at once, the gate is 16")
    return broken


def worse(name, kernel, recorded, found):
    """What of `found` is worse than recorded, as texts."""
    for state in ("refused", "failed"):
        if (state in recorded) != (state in found):
            return [f"{name}: {kernel}: was {recorded}, is {found}"]
    texts = []
    for figure, before in recorded.items():
        now = found.get(figure)
        if figure in NEITHER or isinstance(before, str) or figure == "failed":
            continue
        if now is None or (now < before if figure in BIGGER_IS_BETTER else now > before):
            texts.append(f"{name}: {kernel}: {figure} was {before}, is {now}")
    return texts


def is_recorded(phone, name):
    kernel = next(kernel for kernel in harness.read_kernels() if kernel.name == name)
    return phone in QUICK_PHONES or name in EVERYWHERE or kernel.source in harness.LOOP_WEIGHTS


def check(phone, figures):
    path = golden_path(phone)
    problems = broken_gates(phone.name, figures)
    figures = phone.refusals(harness.read_kernels()) | figures
    if not path.exists():
        print(f"{phone.name}: nothing is recorded for {phone.facts['driver']}; only gates are checked")
        return problems
    recorded = json.loads(path.read_text())["kernels"]
    for kernel, found in figures.items():
        if kernel not in recorded:
            missing = is_recorded(phone.name, kernel) or "refused" in found or "failed" in found
            problems += [f"{phone.name}: {kernel}: nothing is recorded, found {found}"] if missing else []
        else:
            problems += worse(phone.name, kernel, recorded[kernel], found)
            if found != recorded[kernel] and not worse(phone.name, kernel, recorded[kernel], found):
                print(f"{phone.name}: {kernel}: differs from the record, and is not worse: {found}")
    return problems


def renew(phone, figures, reason):
    path = golden_path(phone)
    path.parent.mkdir(parents=True, exist_ok=True)
    before = json.loads(path.read_text()) if path.exists() else {"reasons": []}
    recorded = before.get("kernels", {})
    current = {kernel.name for kernel in harness.read_kernels()}
    figures = {name: value for name, value in (recorded | figures).items() if name in current and
               (is_recorded(phone.name, name) or "refused" in value or "failed" in value)}
    reasons = before["reasons"] + ([reason] if recorded != figures and reason not in before["reasons"] else [])
    lines = [f"  {json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(figures.items())]
    head = {"facts": phone.facts, "reasons": reasons}
    text = json.dumps(head, indent=1)[:-2] + ',\n "kernels": {\n' + ",\n".join(lines) + "\n }\n}\n"
    path.write_text(text)


def print_table(phone, figures):
    print(f"{phone.name}: {phone.facts['name']}, {phone.facts['driver']}")
    for name, found in figures.items():
        text = "  ".join(f"{key} {value}" for key, value in found.items())
        print(f"  {name:40} {text}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build", help="where the kernels' SPIR-V is")
    parser.add_argument("--device", action="append", help="a GPU of phones.def")
    parser.add_argument("--kernel", action="append", help="a kernel of kernels.def")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--isa", action="store_true", help="print the assembly")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--quick", action="store_true", help="few GPUs and kernels")
    parser.add_argument("--renew", metavar="REASON")
    return parser.parse_args()


def chosen(options):
    phones = options.device or (QUICK_PHONES if options.quick else harness.read_phones())
    unknown = set(phones) - set(harness.read_phones())
    if unknown:
        sys.exit(f"no such GPU: {', '.join(sorted(unknown))}; there are {', '.join(harness.read_phones())}")
    kernels = [kernel for kernel in harness.read_kernels()
               if (not options.kernel or kernel.name in options.kernel)
               and (not options.quick or kernel.source in harness.LOOP_WEIGHTS and kernel.type == QUICK_TYPE)]
    return phones, kernels


def main():
    options = parse_arguments()
    names, kernels = chosen(options)
    try:
        folder = harness.fetch_drivers()
    except harness.Skip as reason:
        print(f"skipped: {reason}")
        return SKIPPED
    program = harness.build_compiler(folder)
    problems, everything = [], {}
    for name in names:
        phone = harness.Phone(name, folder, program, Path(options.build))
        figures, listings = phone.compile(kernels)
        everything[name] = {"facts": phone.facts, "kernels": figures}
        if options.check:
            problems += check(phone, figures)
        elif options.renew:
            renew(phone, figures, options.renew)
        elif options.isa:
            for kernel, listing in listings.items():
                print(f"; {name} {kernel}\n{listing}")
        elif not options.json:
            print_table(phone, figures)
    if options.json:
        print(json.dumps(everything, indent=1))
    if problems:
        print("\n".join(problems))
        print('If that is meant: tools/phone/phone_shaders.py --build BUILD --renew "why"')
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
