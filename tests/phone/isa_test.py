#!/usr/bin/env python3
"""Tests of what reads assembly and SPIR-V in tools/phone, on listings small enough to count by eye."""
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/phone"))
import harness  # noqa: E402
import isa  # noqa: E402
import phone_shaders  # noqa: E402
import spirv  # noqa: E402

ADRENO = """\
@localsize 64, 1, 1
mov.u32u32 r0.x, 0
l5:
(nop3) cmps.u.ge p0.y, r3.w, c504.y
(rpt2)nop
br p0.y, #l9
(sy)isam.v.base0 (u32)(xyzw)r0.y, r4.w, s#0, t#0  // a comment
isam.v.base0 (u32)(xy)r5.y, r4.x, s#0, t#2
(rpt1)and.b r1.w, (r)r0.y, c8.x
dp4acc.mixed.low r0.y, r6.y, r0.y, r5.w
mad.f32 r3.x, r6.w, r0.x, r3.x
jump #l5
l9:
end
"""

MALI = """\
   MOV.i32 r1, u0
   LD_PKA.i128.slot0 @r4:r5:r6:r7, r1
   LD_PKA.i64.slot1 @r8:r9, r1
   LSHIFT_AND.i32 r3, r0, 0x0.b00, u12
   IDPADD.v4s8 r2, r4, r5, r2
   FMA.f32 r2, r4, r5, r2
   BRANCHZ.eq r0, offset:-6
"""


def module(*instructions):
    """SPIR-V of (op, operands…)."""
    words = [0x07230203, 0x00010300, 0, 100, 0]
    for op, *operands in instructions:
        words += [(len(operands) + 1) << 16 | op, *operands]
    return words


FACTS = {"float16": "1", "storage_16bit": "0", "max_invocations": "64", "max_shared_bytes": "4096",
         "max_storage_buffers": "2"}


class Loops(unittest.TestCase):
    def test_adreno_counts_repeats_and_nops(self):
        loop = isa.main_loop(ADRENO, mali=False)
        # 4 + 3 + 1 + 1 + 1 + 2 + 1 + 1 + 1
        self.assertEqual(loop.slots, 15)
        self.assertEqual(loop.nops, 6)
        self.assertEqual(loop.dots, 1)
        self.assertEqual(dict(loop.loads), {16: 1, 8: 1})

    def test_mali_counts_units(self):
        loop = isa.main_loop(MALI, mali=True)
        self.assertEqual(loop.slots, 6)
        self.assertEqual(dict(loop.units), {"LS": 2, "SFU": 1, "FMA": 2, "CVT": 1})
        self.assertEqual(dict(loop.loads), {16: 1, 8: 1})

    def test_unknown_instructions_are_errors(self):
        with self.assertRaises(isa.IsaError):
            isa.main_loop(MALI.replace("IDPADD", "IDPFOO"), mali=True)
        with self.assertRaises(isa.IsaError):
            isa.main_loop(ADRENO.replace("(u32)(xy)", ""), mali=False)

    def test_spilled_values_are_loads(self):
        loop = isa.main_loop(ADRENO.replace("isam.v.base0 (u32)(xy)r5.y, r4.x, s#0, t#2", "ldp.u32 r6.x, p[r6.y+36], 2"),
                             mali=False)
        self.assertEqual(dict(loop.loads), {16: 1, 8: 1})

    def test_no_loop(self):
        self.assertIsNone(isa.main_loop("nop\nend\n", mali=False))

    def test_a_loop_that_only_loads_is_not_the_main_one(self):
        first = "l1:\nisam (u32)(x)r0.x, r1.x, s#0, t#0\nisam (u32)(x)r0.x, r1.x, s#0, t#0\nbr p0.x, #l1\n"
        self.assertEqual(isa.main_loop(first + ADRENO, mali=False).slots, 15)


class Modules(unittest.TestCase):
    def test_capabilities_are_compared_with_features(self):
        self.assertEqual(spirv.Module(module((17, 1), (17, 9))).refusal(FACTS), "")
        self.assertIn("StorageBuffer16BitAccess", spirv.Module(module((17, 4433))).refusal(FACTS))
        self.assertIn("5000", spirv.Module(module((17, 5000))).refusal(FACTS))

    def test_limits(self):
        self.assertIn("128 invocations", spirv.Module(module((16, 4, 17, 64, 2, 1))).refusal(FACTS))
        bindings = [(71, i, 33, i) for i in range(3)]
        self.assertIn("3 storage buffers", spirv.Module(module(*bindings)).refusal(FACTS))
        # float[2048] in shared memory
        shared = [(22, 1, 32), (21, 2, 32, 0), (43, 2, 3, 2048), (28, 4, 1, 3), (32, 5, 4, 4), (59, 5, 6, 4)]
        self.assertIn("8192 bytes of shared memory", spirv.Module(module(*shared)).refusal(FACTS))

    def test_words_of_glslc(self):
        self.assertEqual(spirv.words_of_include("0x07230203,0x00010300,\n0x1,"), [0x07230203, 0x00010300, 1])


class Ratchet(unittest.TestCase):
    def test_worse_is_found(self):
        before = {"slots": 1.0, "waves": 16, "nops": 0.1, "registers": 8}
        self.assertEqual(phone_shaders.worse("a", "k", before, before), [])
        self.assertEqual(phone_shaders.worse("a", "k", before, {**before, "slots": 0.9, "nops": 0.5}), [])
        self.assertEqual(phone_shaders.worse("a", "k", before, {**before, "slots": 1.1}),
                         ["a: k: slots was 1.0, is 1.1"])
        self.assertEqual(phone_shaders.worse("a", "k", before, {**before, "waves": 8}), ["a: k: waves was 16, is 8"])
        self.assertEqual(len(phone_shaders.worse("a", "k", before, {"refused": "why"})), 1)
        self.assertEqual(len(phone_shaders.worse("a", "k", {"refused": "why"}, before)), 1)

    def test_gates_hold_figures(self):
        name, (kernel, *_limits) = next(iter(phone_shaders.GATES.items()))
        good = {"slots": 0.5, "loads": 0.05, "registers": 8, "spills": 0, "load_bytes": 16}
        self.assertEqual(phone_shaders.broken_gates(name, {kernel: good}), [])
        for bad in ({"slots": 9}, {"spills": 1}, {"load_bytes": 4}, {"registers": 99}):
            self.assertEqual(len(phone_shaders.broken_gates(name, {kernel: good | bad})), 1, bad)

    def test_gates_name_what_there_is(self):
        kernels, phones = {kernel.name for kernel in harness.read_kernels()}, set(harness.read_phones())
        self.assertLessEqual({kernel for kernel, *_ in phone_shaders.GATES.values()}, kernels)
        self.assertLessEqual(set(phone_shaders.GATES) | set(phone_shaders.QUICK_PHONES), phones)


if __name__ == "__main__":
    unittest.main()
