#!/usr/bin/env python3
"""Runs clang-tidy-19 over the sources of src/ and apps/ that a build folder compiles.

    tools/clang_tidy.py BUILD_FOLDER [--jobs N] [--all]

On a branch only the sources are read that differ from where it left main, or include a header that does; with --all,
and on main itself, all of them. A file whose preprocessed text, command and checks are those of an earlier clean run, in
this checkout or another, is not read again: marks of clean runs are kept in the user's cache folder (XDG_CACHE_HOME,
else ~/.cache).
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

TIDY = "clang-tidy-19"
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include\s*"([^"]+)"', re.MULTILINE)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--all", action="store_true")
    return parser.parse_args()


def git_lines(root, *command):
    """What git prints, line by line; nothing if it fails."""
    run = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True, check=False)
    return run.stdout.split("\n")[:-1] if run.returncode == 0 else []


def changed_paths(root):
    """Paths that differ from where this branch left main, untracked ones included; None if there is no such place."""
    head = git_lines(root, "rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        base = git_lines(root, "merge-base", "HEAD", main)
        if base and base != head:
            untracked = git_lines(root, "ls-files", "--others", "--exclude-standard")
            return set(git_lines(root, "diff", "--name-only", base[0]) + untracked)
    return None


def affected(paths, root):
    """`paths`, and the files of src/ and apps/ that include one of them, directly or not."""
    includes = {}
    for path in [*root.glob("src/**/*"), *root.glob("apps/**/*")]:
        if path.suffix in (".h", ".cc", ".def"):
            names = INCLUDE.findall(path.read_text(encoding="utf-8"))
            includes[str(path.relative_to(root))] = {name if name.startswith("apps/") else f"src/{name}" for name in names}
    found, size = set(paths), -1
    while len(found) != size:
        size = len(found)
        found |= {path for path, names in includes.items() if names & found}
    return found


def own_entries(build, root):
    """Compile commands of our sources; kernels built once per instruction set count once."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if Path(entry["file"]).is_relative_to(root / "src") or Path(entry["file"]).is_relative_to(root / "apps"):
            entries.setdefault(entry["file"], entry)
    return list(entries.values())


class Checker:
    def __init__(self, build, root):
        self.build, self.root = build, root
        version = subprocess.run([TIDY, "--version"], capture_output=True, check=True).stdout
        self.checks = (root / ".clang-tidy").read_bytes() + version
        cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
        self.marks = cache / "halfbyte-clang-tidy"
        self.marks.mkdir(parents=True, exist_ok=True)

    def fingerprint(self, entry):
        """Of everything the result depends on, wherever the checkout lies; None if the file does not preprocess."""
        command = shlex.split(entry["command"])
        command = command[:command.index("-o")]
        # Comments can carry NOLINT: -C keeps them. -P leaves out the names of files.
        preprocess = command + ["-E", "-C", "-P", entry["file"]]
        run = subprocess.run(preprocess, cwd=entry["directory"], capture_output=True, check=False)
        if run.returncode != 0:
            return None
        text = run.stdout + " ".join(command).encode()
        text = text.replace(str(self.root).encode(), b".")
        return hashlib.sha256(text + self.checks).hexdigest()

    def complaints(self, entry):
        """About one file; "" if there are none."""
        fingerprint = self.fingerprint(entry)
        mark = self.marks / str(fingerprint)
        if fingerprint and mark.exists():
            return ""
        command = [TIDY, "-p", str(self.build), "--quiet", entry["file"]]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        if run.returncode == 0 and fingerprint:
            mark.touch()
        return run.stdout + run.stderr if run.returncode else ""


def main():
    options = arguments()
    root = Path(__file__).resolve().parent.parent
    checker = Checker(options.build.resolve(), root)
    entries = own_entries(checker.build, root)
    changed = None if options.all else changed_paths(root)
    if changed is not None and ".clang-tidy" not in changed:
        names = affected(changed, root)
        entries = [entry for entry in entries if str(Path(entry["file"]).relative_to(root)) in names]
    complaints = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for text in filter(None, pool.map(checker.complaints, entries)):
            complaints += 1
            print(text, flush=True)
    print(f"clang-tidy: {len(entries)} files, {complaints} with complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
