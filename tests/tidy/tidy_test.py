"""Each rule of tools/tidy.py fires on a bad sample and stays silent on a good one."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TIDY = Path(__file__).resolve().parents[2] / "tools" / "tidy.py"


def tidy(files):
    """Runs tidy over a tree of {path: text or bytes}; returns its lines without the summary."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        run = subprocess.run([sys.executable, str(TIDY), folder], capture_output=True, text=True, check=False)
        lines = run.stdout.splitlines()[:-1]
        assert run.returncode == (1 if lines else 0), run.stderr
        return lines


def function(lines, name="f"):
    return f"int {name}(int x) {{\n" + "  ++x;\n" * (lines - 3) + "  return x;\n}\n"


class Rules(unittest.TestCase):
    def expect(self, path, text, *breaches):
        """`breaches`: the beginnings "line: rule" that tidy must print for this one file, all of them."""
        files = {path: text}
        if path.startswith("src/"):
            files[path.rsplit("/", 1)[0] + "/README.md"] = "x\n"
        found = tidy(files)
        self.assertEqual([":".join(line.split(":")[1:3]) for line in found], list(breaches), found)

    def test_layers_point_down(self):
        self.expect("src/quant/a.cc", '#include "base/error.h"\n#include "quant/b.h"\n#include <model/x.h>\n')
        self.expect("src/quant/a.cc", '\n#include "model/gguf.h"\n', "2: layers")
        self.expect("src/fetch/a.cc", '#include "quant/b.h"\n', "1: layers")
        self.expect("src/engine/a.cc", '#include "apps/commands.h"\n', "1: layers")
        self.expect("src/unknown/a.cc", "", "1: layers")

    def test_file_sizes(self):
        for path, limit in {"src/base/a.cc": 500, "src/base/a.h": 250, "include/halfbyte/a.h": 400,
                            "tests/base/a_test.cc": 700, "src/backend/k-inl.h": 500, "tools/a.py": 500}.items():
            head = "#pragma once\n" if path.endswith(".h") else "\n"
            self.expect(path, head + "\n" * (limit - 1))
            self.expect(path, head + "\n" * limit, f"{limit}: file-size")

    def test_function_sizes(self):
        self.expect("src/base/a.cc", function(70))
        self.expect("src/base/a.cc", "\n" + function(71), "2: function-size")
        self.expect("src/backend/k-inl.h", function(120))
        self.expect("src/backend/k.comp", function(121), "1: function-size")

    def test_functions_are_found_inside_namespaces_and_classes(self):
        self.expect("src/base/a.cc", "namespace hb {\nclass C {\n" + function(71) + "};\n}\n", "3: function-size")
        self.expect("src/base/a.cc", "namespace hb {\n" + function(40) + function(40, "g") + "}\n")
        self.expect("src/base/a.cc", "struct S f() {\n" + "  ;\n" * 70 + "}\n", "1: function-size")
        self.expect("src/base/a.cc", "C::C(int x) : a_{x}, b_(x) {\n" + "  ++x;\n" * 70 + "}\n", "1: function-size")

    def test_tables_are_not_functions(self):
        self.expect("src/base/a.cc", "constexpr int kTable[] = {\n" + "  1,\n" * 90 + "};\n")

    def test_braces_in_literals_do_not_count(self):
        self.expect("src/base/a.cc", 'const char* a() { return "{{{"; }\nchar b() { return \'{\'; }\n// {\n' + function(70))
        self.expect("src/base/a.cc", 'const char* a() { return R"x({{)x"; }\n' + function(71), "2: function-size")

    def test_banned_calls(self):
        for rule, path, code in [
                ("getenv", "src/base/a.cc", 'std::getenv("X");'), ("getenv", "apps/a.cc", 'getenv("X");'),
                ("assert", "src/base/a.cc", "assert(x);"), ("print", "src/base/a.cc", 'std::printf("x");'),
                ("print", "src/base/a.cc", "std::cout << 1;"), ("print", "src/lab/a.cc", 'fmt::print("x");'),
                ("allocation", "src/base/a.cc", "int* p = new int;"), ("allocation", "src/base/a.cc", "delete p;"),
                ("allocation", "src/base/a.cc", "p = malloc(3);"), ("regex", "src/base/a.cc", "std::regex r;"),
                ("random", "src/base/a.cc", "x = rand();"), ("random", "src/engine/a.cc", "std::mt19937 r;"),
                ("libm", "src/quant/a.cc", "y = std::exp(x);"), ("libm", "src/backend/a.cc", "y = sqrtf(x);"),
                ("libm", "src/engine/a.cc", "y = pow(x, 2);"), ("libm", "src/plan/a.cc", "y = std::cos (x);")]:
            self.expect(path, "\n" + code + "\n", f"2: {rule}")

    def test_lookalikes_are_allowed(self):
        self.expect("src/base/settings.cc", 'std::getenv("X");\n')
        self.expect("apps/a.cc", 'fmt::print("x");\n')
        for code in ["static_assert(x);", "C(const C&) = delete;", "std::unique_ptr<C> c(new C);",
                     "return std::unique_ptr<C>(new C(1));", "operand(x);", "// assert(x), new, malloc(3)",
                     's = "malloc(3)";', "new_size(x);", "#include <new>", "renew(x);"]:
            self.expect("src/base/a.cc", code + "\n")
        for code in ["fast_exp(x);", "numerics::exp(x);", "table.log(x);", "std::abs(x);", "exponent(x);"]:
            self.expect("src/quant/a.cc", code + "\n")
        self.expect("src/lab/a.cc", "y = std::exp(x);\n")

    def test_words(self):
        for word in ["TODO", "FIXME", "XXX"]:
            self.expect("docs/a.md", f"\nx {word}: y\n", "2: leftover")
        for path in ["/work/x", "/root/x", "/home/x"]:
            self.expect("docs/a.md", f"see {path}\n", "1: machine-path")
        self.expect("docs/a.md", "TODOS in https://host/work/x and $HOME/home/x\n")

    def test_readme(self):
        self.assertEqual([line.split(":")[0:3:2] for line in tidy({"src/base/a.cc": ""})], [["src/base", " readme"]])
        self.assertEqual(len(tidy({"src/base/a.cc": "", "src/base/README.md": "x\n" * 61})), 1)
        self.assertEqual(len(tidy({"src/base/README.md": "", "src/base/deep/a.cc": ""})), 1)

    def test_large_files(self):
        self.assertEqual(tidy({"a.bin": b"\xff" * 200_000}), [])
        self.assertIn("file-bytes", tidy({"a.bin": b"\xff" * 200_001})[0])

    def test_include_guard(self):
        self.expect("src/base/a.h", "int x;\n", "1: include-guard")

    def test_source_lists(self):
        path = "src/CMakeLists.txt"
        self.expect(path, "hb_layer(x\n  SOURCES\n    a.cc\n    b.cc\n  LINKS y)\nhb_test(z SOURCES a.cc LINKS y)\n")
        self.expect(path, "add_library(x STATIC\n  b.cc)\nadd_library(y STATIC\n  a.cc)\n# a.cc b.cc\n")
        self.expect(path, "add_library(x STATIC a.cc b.cc)\n", "1: source-list")
        self.expect(path, "add_library(x STATIC\n  b.cc\n  a.cc)\n", "3: source-list")

    def test_generated_tables(self):
        files = {"tools/t.py": 'print("| a |")\n',
                 "docs/a.md": "x\n<!-- generated by tools/t.py -->\n| a |\n<!-- end of generated -->\n"}
        self.assertEqual(tidy(files), [])
        files["docs/a.md"] = files["docs/a.md"].replace("| a |", "| b |")
        self.assertIn("generated", tidy(files)[0])


if __name__ == "__main__":
    unittest.main()
