"""Reads the assembly that Mesa prints for Adreno (ir3) and Mali (Valhall), and counts what a loop costs.

Adreno: an instruction takes 1 + repeats + nops issue slots, which is how the driver's own "Instruction Count" counts.
Mali: an instruction takes one slot of a unit: FMA and CVT handle 64 lanes a cycle, SFU 16, LS one message.
"""
import re
from collections import Counter
from dataclasses import dataclass


class IsaError(Exception):
    """The listing is not what this file knows. Counting on would give a number without a meaning."""


@dataclass
class Instruction:
    op: str
    text: str
    repeats: int = 0
    nops: int = 0
    target: str | None = None  # label (Adreno) or index (Mali) of a branch

    @property
    def stem(self):
        return self.op.split(".")[0]


@dataclass
class Loop:
    """The instructions from the target of a backward branch to the branch."""

    slots: int
    nops: int
    units: Counter  # Mali: slots of each unit
    dots: int
    multiplies: int
    loads: Counter  # of each width in bytes


ADRENO_BRANCHES = {"br", "jump", "bany", "ball", "brao", "braa"}
ADRENO_LOADS = {"isam", "ldib", "ldg", "ldc", "ldp"}
ADRENO_LOAD = re.compile(r"\((u8|u16|f16|s16|u32|f32|s32)\)\(([xyzw]+)\)")
ADRENO_MEMORY_LOAD = re.compile(r"ld\w(?:\.\w+)*?\.(u8|u16|f16|s16|u32|f32|s32)\s.*,\s*(\d+)$")
TYPE_BYTES = {"u8": 1, "u16": 2, "f16": 2, "s16": 2, "u32": 4, "f32": 4, "s32": 4}

MALI_UNITS = {
    "CVT": "BRANCHZ BRANCHZI CLZ CSEL F16_TO_F32 F16_TO_S32 F16_TO_U32 F32_TO_S32 F32_TO_U32 FCMP_AND FCMP_OR FMAX FMIN "
    "FREXPE FREXPM FROUND HADD IABS IADD IADD_IMM ICMP_AND ICMP_MULTI ICMP_OR ISUB MKVEC MOV NOP S16_TO_F32 S16_TO_S32 "
    "S32_TO_F32 S8_TO_F32 S8_TO_S32 SHADDX U16_TO_F32 U16_TO_U32 U32_TO_F32 U8_TO_F32 U8_TO_U32 V2F32_TO_V2F16 WMASK",
    "SFU": "BITREV CLPER FEXP FLOGD FRCP FRSQ IMUL IMULD LSHIFT_AND LSHIFT_OR LSHIFT_XOR MUX POPCOUNT RSHIFT_AND "
    "RSHIFT_OR RSHIFT_XOR",
    "FMA": "FADD FADD_IMM FADD_LSCALE FMA FMA_RSCALE IDP IDPADD LDEXP",
    "LS": "ATOM LD_BUFFER LD_CVT LD_PKA LD_TEX LEA_BUFFER LEA_BUF_IMM LEA_PKA LEA_TEX LEA_TEX_IMM LOAD STORE ST_CVT",
    "T": "TEX_FETCH",
    "none": "BARRIER",
}
MALI_UNIT_OF = {op: unit for unit, ops in MALI_UNITS.items() for op in ops.split()}
MALI_LOADS = {"LD_PKA", "LD_BUFFER", "LD_CVT", "LOAD", "TEX_FETCH"}
MALI_LOAD_BITS = re.compile(r"(?:\.v(\d+))?\.[iufs](\d+)")


def parse_adreno(text):
    instructions, labels = [], {}
    for line in text.splitlines():
        line = line.split("//")[0].strip()
        label = re.match(r"l(\d+):\s*(.*)$", line)
        if label:
            labels[label.group(1)] = len(instructions)
            line = label.group(2)
        if not line or line[0] in ";@" or line.startswith("Native"):
            continue
        repeats = nops = 0
        while flag := re.match(r"\((\w+)\)\s*", line):
            name = flag.group(1)
            if name.startswith("rpt"):
                repeats = int(name[3:] or 0)
            elif name.startswith("nop"):
                nops = int(name[3:] or 0)
            line = line[flag.end():]
        target = re.search(r"#l(\d+)", line)
        instructions.append(Instruction(line.split()[0], line, repeats, nops, target and target.group(1)))
    return instructions, labels


def adreno_loops(instructions, labels):
    for end, instruction in enumerate(instructions):
        if instruction.target is None or instruction.stem not in ADRENO_BRANCHES:
            continue
        start = labels.get(instruction.target)
        if start is not None and start <= end:
            yield start, end


def adreno_load_bytes(instruction):
    if shape := ADRENO_LOAD.search(instruction.text):
        return TYPE_BYTES[shape.group(1)] * len(shape.group(2))
    if shape := ADRENO_MEMORY_LOAD.match(instruction.text):
        return TYPE_BYTES[shape.group(1)] * int(shape.group(2))
    raise IsaError(f"a load without a type: {instruction.text}")


def count_adreno(instructions):
    loop = Loop(0, 0, Counter(), 0, 0, Counter())
    for instruction in instructions:
        times = 1 + instruction.repeats
        loop.slots += times + instruction.nops
        loop.nops += instruction.nops + (times if instruction.op == "nop" else 0)
        loop.dots += times if instruction.stem in ("dp4acc", "dp2acc") else 0
        loop.multiplies += times if instruction.stem in ("mad", "mul") else 0
        if instruction.stem in ADRENO_LOADS:
            loop.loads[adreno_load_bytes(instruction)] += times
    return loop


def parse_mali(text):
    instructions = []
    for line in text.splitlines():
        if line and not line.strip():  # an operation that the disassembler has no name for: SFU, by the driver's totals
            instructions.append(Instruction("LSHIFT_AND", ""))
            continue
        line = line.strip()
        if not re.match(r"[A-Z][A-Z0-9_]+", line):
            continue
        op = line.split()[0].rstrip(",")
        offset = re.search(r"offset:(-?\d+)", line) if op.startswith("BRANCHZ") else None
        target = str(len(instructions) + 1 + int(offset.group(1))) if offset else None
        instructions.append(Instruction(op, line, target=target))
    return instructions


def mali_loops(instructions):
    for end, instruction in enumerate(instructions):
        if instruction.target is not None and int(instruction.target) <= end:
            yield int(instruction.target), end


def count_mali(instructions):
    loop = Loop(0, 0, Counter(), 0, 0, Counter())
    for instruction in instructions:
        unit = MALI_UNIT_OF.get(instruction.stem)
        if unit is None:
            raise IsaError(f"no unit is known for {instruction.op}")
        loop.slots += 1
        loop.units[unit] += 1
        loop.nops += instruction.stem == "NOP"
        loop.dots += instruction.stem == "IDPADD"
        loop.multiplies += instruction.stem == "FMA"
        if instruction.stem in MALI_LOADS:
            bits = MALI_LOAD_BITS.search(instruction.op)
            if bits is None:
                raise IsaError(f"a load without a width: {instruction.text}")
            loop.loads[int(bits.group(1) or 1) * int(bits.group(2)) // 8] += 1
    return loop


def main_loop(text, mali):
    """The first loop that loads and multiplies, counted; None if there is none."""
    if mali:
        instructions = parse_mali(text)
        ranges, count = mali_loops(instructions), count_mali
    else:
        instructions, labels = parse_adreno(text)
        ranges, count = adreno_loops(instructions, labels), count_adreno
    for start, end in sorted(ranges):
        loop = count(instructions[start:end + 1])
        if sum(loop.loads.values()) >= 2 and loop.dots + loop.multiplies > 0:
            return loop
    return None
