"""Runs Mesa's compilers of phone GPUs over the Vulkan backend's kernels, and measures what they make of them."""
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import isa
import spirv

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KERNELS = ROOT / "src/backend/vulkan/kernels.def"
DRIVERS = {"adreno": "freedreno", "mali": "panfrost", "pi": "broadcom"}
# Weights of a turn of the main loop, for one row of the batch: four rows of a block of 32. Loops of other kernels are not
# counted: drivers leave loops in them.
LOOP_WEIGHTS = {"matvec_4bit": 128, "matvec_wide": 128}
FLIPPED = 0x80808080  # kFlippedHighBits of weight_layout.h
TEXEL_BINDINGS = 6


class Skip(Exception):
    """The drivers or the tools for them are not here; the text says which."""


class Kernel:
    def __init__(self, fields):
        self.name = fields[0]
        self.type = fields[2] if len(fields) > 4 else ""
        self.columns = int(fields[3]) if len(fields) > 4 else 1
        self.source = fields[4] if len(fields) > 4 else fields[2]
        self.texel = "TEXEL" in (fields[7].split() if len(fields) > 7 else [])


def read_kernels():
    rows = re.findall(r"^HB_VULKAN_\w*KERNEL\((.*)\)$", KERNELS.read_text(), re.MULTILINE)
    return [Kernel(row.split(", ")) for row in rows]


def read_phones():
    return re.findall(r'^PHONE\("([^"]+)"', (HERE / "phones.def").read_text(), re.MULTILINE)


def fetch_drivers():
    for tool in ("apt-get", "dpkg-deb", "qemu-aarch64-static", "aarch64-linux-gnu-gcc"):
        if shutil.which(tool) is None:
            raise Skip(f"{tool} is not installed (tools/packages.sh)")
    result = subprocess.run([HERE / "fetch_drivers.sh"], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise Skip(f"the drivers could not be fetched: {result.stderr.strip().splitlines()[-1:]}")
    return Path(result.stdout.strip())


def build_compiler(folder):
    """The program that runs under qemu, kept beside the drivers until its sources change."""
    sources = [HERE / "compile_shaders.c", HERE / "drm_shim.c"]
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in [*sources, HERE / "phones.def"])).hexdigest()
    program = folder / f"compile_shaders-{digest[:12]}"
    if not program.exists():
        made = program.with_suffix(f".{os.getpid()}")
        # The headers of Vulkan do not depend on the machine.
        command = ["aarch64-linux-gnu-gcc", "-std=gnu11", "-O1", "-rdynamic", "-idirafter", "/usr/include", *sources,
                   "-o", made, "-ldl"]
        subprocess.run(command, check=True)
        made.rename(program)
    return program


def parse_output(text):
    """-> (facts, {kernel: (result, statistics, listing)})"""
    facts, shaders, listing = {}, {}, None
    for line in text.splitlines():
        if listing is not None:
            if line == "END":
                listing = None
            else:
                listing.append(line)
        elif line.startswith("FACT "):
            _, name, value = line.split(" ", 2)
            facts[name] = value
        elif line.startswith("SHADER "):
            _, name, result = line.split()
            statistics, lines = {}, []
            shaders[name] = (int(result), statistics, lines)
        elif line.startswith("STAT "):
            _, value, name = line.split(" ", 2)
            statistics[name] = float(value)
        elif line == "ISA":
            listing = lines
    return facts, shaders


class Phone:
    """One GPU: its facts, and what its compiler makes of kernels."""

    def __init__(self, name, folder, program, build):
        self.name, self.folder, self.program, self.build = name, folder, program, Path(build)
        self.facts, _ = self.run([])

    def run(self, kernels):
        family = self.name.split("-")[0]
        driver = self.folder / f"root/usr/lib/aarch64-linux-gnu/libvulkan_{DRIVERS[family]}.so"
        environment = {"PATH": os.environ["PATH"], "PHONE_GPU": self.name, "MESA_SHADER_CACHE_DISABLE": "true",
                       "PAN_I_WANT_A_BROKEN_VULKAN_DRIVER": "1"}
        with tempfile.TemporaryDirectory() as work:
            jobs = Path(work, "jobs")
            jobs.write_text("".join(self.job(kernel, Path(work)) for kernel in kernels))
            # Debian 13 is built with pointer authentication, which qemu's default processor emulates very slowly.
            command = ["qemu-aarch64-static", "-cpu", "cortex-a72", "-L", self.folder / "root", self.program, driver, jobs]
            result = subprocess.run(command, capture_output=True, text=True, errors="replace", env=environment, check=False)
        facts, shaders = parse_output(result.stdout)
        if not facts or (kernels and not shaders):
            raise RuntimeError(f"{self.name}: the driver ended with {result.returncode}: {result.stderr.strip()}")
        return facts, shaders

    def job(self, kernel, work):
        path = work / f"{kernel.name}.spv"
        path.write_bytes(spirv.to_bytes(self.words(kernel)))
        flipped = int(self.facts["dot_signed"]) and not int(self.facts["dot_mixed"])
        return f"{kernel.name} {path} {TEXEL_BINDINGS if kernel.texel else 0} {FLIPPED if flipped else 0}\n"

    def words(self, kernel):
        return spirv.words_of_include((self.build / f"src/backend/vulkan/{kernel.name}.inc").read_text())

    def refusals(self, kernels):
        """The kernels that this GPU must not run. Nothing is compiled."""
        reasons = {kernel.name: spirv.Module(self.words(kernel)).refusal(self.facts) for kernel in kernels}
        return {name: {"refused": reason} for name, reason in reasons.items() if reason}

    def compile(self, kernels):
        """-> {kernel: figures}, {kernel: listing}. A driver that ends on one kernel is asked for the others again."""
        figures, listings = self.refusals(kernels), {}
        left = [kernel for kernel in kernels if kernel.name not in figures]
        while left:
            _, shaders = self.run(left)
            for kernel in left[:len(shaders)]:
                result, statistics, lines = shaders[kernel.name]
                listings[kernel.name] = "\n".join(lines)
                figures[kernel.name] = self.measure(kernel, result, statistics, listings[kernel.name])
            left = left[len(shaders):]
        return figures, listings

    def measure(self, kernel, result, statistics, listing):
        if result != 0:
            return {"failed": result}
        mali = self.name.startswith("mali")

        def figure(*names):
            return next((round(statistics[name]) for name in names if name in statistics), 0)

        figures = {
            "instructions": figure("Instruction Count", "Instructions"),
            "registers": figure("Registers used"),
            "waves": figure("Max Waves Per Core", "Threads", "Thread Count"),
            "spills": sum(figure(name) for name in ("STP Count", "LDP Count", "Spills", "Fills", "TMU Spills")),
        }
        weights = LOOP_WEIGHTS.get(kernel.source)
        if weights is None or self.name.startswith("pi") or "{" in listing:  # older Mali: another assembly
            return figures
        loop = isa.main_loop(listing, mali)
        if loop is None:
            raise isa.IsaError(f"{self.name}: {kernel.name} has no main loop")
        return figures | self.per_weight(loop, weights, kernel.columns)

    @staticmethod
    def per_weight(loop, weights, columns):
        """Of a weight and a row of the batch."""
        count = weights * columns
        figures = {
            "slots": round(loop.slots / count, 3),
            "nops": round(loop.nops / count, 3),
            "loads": round(sum(loop.loads.values()) / count, 3),
            "load_bytes": max(loop.loads),
        }
        for unit in ("FMA", "CVT", "SFU", "LS"):
            if loop.units:
                figures[unit] = round(loop.units[unit] / count, 3)
        return figures
