#!/usr/bin/env python3
"""Prints the table of docs/phone-shaders.md from the records in tests/phone/golden."""
import json
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[2] / "tests/phone/golden"
STORAGE_BUFFERS = 10  # that the backend needs: check_usable() of device_facts.cc
FORMATS = ("q4_0", "q4_1", "q4_k")
HEAD = """| GPU | Q4_0: slots a weight | of these nops | loads a weight | bytes a load | registers | waves | Q4_1 | Q4_K | kernel |
|---|---|---|---|---|---|---|---|---|---|"""


def version_key(path):
    return [int(part) for part in path.name.split(".")]


def best(kernels, kind):
    """The counted kernel for one row of the batch with the fewest slots; of equal ones the shortest."""
    counted = [(figures["slots"], figures["instructions"], name) for name, figures in kernels.items()
               if name.startswith(f"matvec_{kind}_x1") and "slots" in figures]
    return min(counted)[2] if counted else None


def row(phone, record):
    kernels = record["kernels"]
    if int(record["facts"]["max_storage_buffers"]) < STORAGE_BUFFERS:
        return f"| {phone} | cannot run: {record['facts']['max_storage_buffers']} storage buffers a kernel | | | | | | | | |"
    name = best(kernels, "q4_0")
    if name is None:
        portable = kernels["matvec_q4_0_x1"]
        if "refused" in portable:
            return f"| {phone} | cannot run: {portable['refused']} | | | | | | | | |"
        return (f"| {phone} | not counted | | | | {portable.get('registers', '')} | {portable.get('waves', '')} | | "
                f"| matvec_q4_0_x1 ({portable.get('instructions')} instructions, {portable.get('spills')} spills) |")
    figures = kernels[name]
    units = ""
    if "SFU" in figures:
        units = f" (FMA {figures['FMA']}, CVT {figures['CVT']}, SFU {figures['SFU']}, LS {figures['LS']})"
    others = " | ".join(str(kernels[best(kernels, kind)]["slots"]) for kind in FORMATS[1:])
    return (f"| {phone} | **{figures['slots']}**{units} | {figures['nops']} | {figures['loads']} "
            f"| {figures['load_bytes']} | {figures['registers']} | {figures['waves']} | {others} | {name} |")


def main():
    for version in sorted(GOLDEN.iterdir(), key=version_key, reverse=True):
        print(f"### Mesa {version.name}\n\n{HEAD}")
        for path in sorted(version.glob("*.json")):
            print(row(path.stem, json.loads(path.read_text())))
        print()


if __name__ == "__main__":
    main()
