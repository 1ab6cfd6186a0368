"""What a SPIR-V module asks of a device. Drivers compile modules that need what they lack, so somebody must look."""
import struct

CAPABILITY, EXECUTION_MODE, DECORATE = 17, 16, 71
TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_ARRAY, TYPE_POINTER, CONSTANT, VARIABLE = 21, 22, 23, 28, 32, 43, 59
LOCAL_SIZE, BINDING, WORKGROUP = 17, 33, 4

# Capability -> (its name, the fact of the device that it needs; None: every device has it).
CAPABILITIES = {
    1: ("Shader", None),
    9: ("Float16", "float16"),
    11: ("Int64", "int64"),
    22: ("Int16", "int16"),
    39: ("Int8", "int8"),
    46: ("SampledBuffer", None),
    61: ("GroupNonUniform", "subgroup_basic"),
    65: ("GroupNonUniformShuffle", "subgroup_shuffle"),
    4433: ("StorageBuffer16BitAccess", "storage_16bit"),
    4448: ("StorageBuffer8BitAccess", "storage_8bit"),
    6018: ("DotProductInput4x8BitPacked", "dot_product"),
    6019: ("DotProduct", "dot_product"),
}


def words_of_include(text):
    """The words of what glslc -mfmt=num writes."""
    return [int(word, 0) for word in text.replace("\n", "").split(",") if word.strip()]


def to_bytes(words):
    return struct.pack(f"<{len(words)}I", *words)


class Module:
    def __init__(self, words):
        self.capabilities, self.bindings, self.local_size, self.shared_bytes = set(), set(), (1, 1, 1), 0
        sizes, constants, pointers = {}, {}, {}
        at = 5
        while at < len(words):
            count, op = words[at] >> 16, words[at] & 0xFFFF
            if count == 0:
                raise ValueError(f"an instruction of no words at word {at}")
            operands = words[at + 1:at + count]
            at += count
            if op == CAPABILITY:
                self.capabilities.add(operands[0])
            elif op == EXECUTION_MODE and operands[1] == LOCAL_SIZE:
                self.local_size = tuple(operands[2:5])
            elif op == DECORATE and operands[1] == BINDING:
                self.bindings.add(operands[2])
            elif op in (TYPE_INT, TYPE_FLOAT):
                sizes[operands[0]] = operands[1] // 8
            elif op == TYPE_VECTOR:
                sizes[operands[0]] = sizes[operands[1]] * operands[2]
            elif op == CONSTANT:
                constants[operands[1]] = operands[2]
            elif op == TYPE_ARRAY and operands[1] in sizes:
                sizes[operands[0]] = sizes[operands[1]] * constants.get(operands[2], 0)
            elif op == TYPE_POINTER:
                pointers[operands[0]] = operands[2]
            elif op == VARIABLE and operands[2] == WORKGROUP:
                self.shared_bytes += sizes[pointers[operands[0]]]

    def refusal(self, facts):
        """Why a device with these facts must not run it; an empty text if it may."""
        for capability in sorted(self.capabilities):
            if capability not in CAPABILITIES:
                return f"capability {capability}, which this check does not know"
            name, fact = CAPABILITIES[capability]
            if fact is not None and not int(facts[fact]):
                return f"{name}: the device has no {fact}"
        x, y, z = self.local_size
        limits = [("invocations of a work-group", x * y * z, "max_invocations"),
                  ("bytes of shared memory", self.shared_bytes, "max_shared_bytes"),
                  ("storage buffers", len(self.bindings), "max_storage_buffers")]
        for what, needs, fact in limits:
            if needs > int(facts[fact]):
                return f"{needs} {what}, and the device has {facts[fact]}"
        return ""
