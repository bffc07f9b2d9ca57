"""Runs Khronos' tests of the program `ktx` with `assetc ktx`, and compares what differs with a list of what may differ.

    python3 tests/interop/ktx_suite.py build/release/assetc SUITE [GROUP]

SUITE is an unpacked copy of github.com/KhronosGroup/KTX-Software-CTS; without it, the environment variable
ASSETC_KTX_SUITE names the folder. GROUP is the start of the names to run, such as validate or extract/raw. The list is
docs/reference/ktx-suite.md. Exits 1 if a case differs that the list does not name, and 77 (skipped) without a suite.

A case passes if the exit code is right and the files that it writes are. Texts are not compared. A .ktx2 is compared
without KTXwriter and KTXwriterScParams, which name the program that wrote it, and without KTXorientation if that is the default.
"""
import collections
import concurrent.futures
import fnmatch
import itertools
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

LIST = pathlib.Path(__file__).parents[2] / "docs/reference/ktx-suite.md"
SECONDS = 60  # for one command; it is stopped then
VALUE = re.compile(r"\$\{(\w+)(?:\[(\w+)\])?\}")


class Case:
    def __init__(self, name, test, values):
        def fill(text):
            def value(match):
                found = values[match[1]]
                return str(found[match[2]] if match[2] else found)
            return VALUE.sub(value, str(text))

        self.name = name
        self.words = fill(test["command"]).split()
        self.status = fill(test["status"])
        self.stdin = fill(test["stdin"]) if "stdin" in test else None
        self.files = {fill(made): fill(wanted) for made, wanted in test.get("outputs", {}).items()}

    def has_inputs(self, folder):
        """Some cases that must fail name files that the suite does not have."""
        if self.status != "0":
            return True
        named = [w for w in self.words if w.startswith("input/")]
        return all((folder / path).exists() for path in named + ([self.stdin] if self.stdin else []))


def cases(folder, group):
    for path in sorted((folder / "tests").rglob("*.json")):
        name = path.relative_to(folder / "tests").with_suffix("").as_posix()
        if name.startswith(group):
            test = json.loads(path.read_text(encoding="utf-8"))
            arguments = test.get("args", {})
            for values in itertools.product(*arguments.values()):
                try:
                    yield Case(name, test, dict(zip(arguments, values)))
                except (KeyError, TypeError):  # The test names a value that it does not have.
                    continue


def content(path):
    """The bytes of a file; of a .ktx2, its parts without what names the program."""
    data = path.read_bytes()
    if not data.startswith(b"\xabKTX 20\xbb") or len(data) < 80:
        return data
    header = struct.unpack_from("<9I", data, 12)
    dfd_at, dfd_size, kvd_at, kvd_size, sgd_at, sgd_size = struct.unpack_from("<4I2Q", data, 48)
    values, end = {}, kvd_at + kvd_size
    while kvd_at + 4 <= end:
        (size,) = struct.unpack_from("<I", data, kvd_at)
        key, _, value = data[kvd_at + 4:kvd_at + 4 + size].partition(b"\0")
        is_default = key == b"KTXorientation" and value in (b"r\0", b"rd\0", b"rdi\0")
        if not key.startswith(b"KTXwriter") and not is_default:
            values[key] = value
        kvd_at += 4 + (size + 3) // 4 * 4
    levels = []
    for i in range(max(header[7], 1)):
        at, size, uncompressed = struct.unpack_from("<3Q", data, 80 + 24 * i)
        levels.append((uncompressed, data[at:at + size]))
    return header, data[dfd_at:dfd_at + dfd_size], values, data[sgd_at:sgd_at + sgd_size], levels


def run(case, assetc, folder, scratch):
    """What differs: "", "exit 5 for 0", "output", "stopped" or "no input"."""
    if not case.has_inputs(folder):
        return "no input"
    # Outputs go to a folder of this run, which has the same names.
    words = [w.replace("output/", f"{scratch}/output/", 1) if w.startswith("output/") else w for w in case.words[1:]]
    for made in case.files:
        (scratch / made).parent.mkdir(parents=True, exist_ok=True)
    if os.name != "nt":
        words = [w.replace("output.ktx2", f"{scratch}/output.ktx2") if w == "output.ktx2" else w for w in words]
    try:
        with open(folder / case.stdin if case.stdin else os.devnull, "rb") as stdin:
            done = subprocess.run([assetc, "ktx", *words], stdin=stdin, capture_output=True, cwd=folder,
                                  timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return "stopped"
    if case.status != "*" and done.returncode != int(case.status):
        return f"exit {done.returncode} for {case.status}"
    for made, wanted in case.files.items():
        if (folder / wanted).exists() and (not (scratch / made).exists() or
                                           content(scratch / made) != content(folder / wanted)):
            return "output"
    return ""


def allowed():
    """The rows of the tables of the list that start with a pattern in backquotes: (name, words of the command, what)."""
    for line in LIST.read_text(encoding="utf-8").splitlines():
        found = re.match(r"\| `([a-z]+/[^ `]*) ?([^`]*)` \| ([^|]+?) \|", line)
        if found:
            yield found.groups()


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    suite = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else os.environ.get("ASSETC_KTX_SUITE", ""))
    folder = (suite / "clitests").resolve()
    if not (folder / "tests").is_dir():
        print("skipped: ASSETC_KTX_SUITE names no folder with Khronos' KTX-Software-CTS")
        sys.exit(77)
    assetc = str(pathlib.Path(sys.argv[1]).resolve())
    group = sys.argv[3] if len(sys.argv) > 3 else ""
    rows = list(allowed())
    used, unnamed = set(), []
    counts = collections.defaultdict(collections.Counter)
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        todo = [case for case in cases(folder, group) if case.words[0] == "ktx"]
        for case, what in zip(todo, pool.map(lambda c: run(c, assetc, folder, pathlib.Path(scratch)), todo)):
            counts[case.name.partition("/")[0]][what if what in ("", "no input") else "differs"] += 1
            if what in ("", "no input"):
                continue
            match = next((row for row in rows if fnmatch.fnmatch(case.name, row[0]) and
                          row[1] in " ".join(case.words) and fnmatch.fnmatch(what, row[2])), None)
            if match:
                used.add(match)
            else:
                unnamed.append(f"{case.name}: {what}: {' '.join(case.words)}")
    print("| Group | Cases | Pass | Differ as listed | Input missing |")
    for name, count in sorted(counts.items()):
        print(f"| `{name}` | {count.total()} | {count['']} | {count['differs']} | {count['no input']} |")
    for line in unnamed:
        print(line)
    for row in rows if not group else []:
        if row not in used:
            print(f"{LIST.name}: no case differs as this row says: {row[0]} {row[1]} {row[2]}")
    print(f"ktx_suite.py: {len(unnamed)} cases differ without a row in {LIST.name}")
    sys.exit(1 if unnamed else 0)


if __name__ == "__main__":
    main()
