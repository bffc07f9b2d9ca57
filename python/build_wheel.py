"""Packs the Python package with the program and the library of one platform as a wheel.

    python3 build_wheel.py TREE PLATFORM OUT

TREE: what `cmake --install` makes: bin/assetc, lib/assetc, lib/libassetc.so or bin/assetc.dll, share/assetc/page, share/doc
PLATFORM: linux-amd64, linux-arm64 or windows-amd64
OUT: the folder for the wheel

The same tree gives the same bytes: entries are in the order of their names, with the time of SOURCE_DATE_EPOCH.
"""
import base64
import hashlib
import os
import pathlib
import re
import sys
import tempfile
import time
import zipfile

import native

HERE = pathlib.Path(__file__).parent
TAGS = {"linux-amd64": "manylinux_2_28_x86_64", "linux-arm64": "manylinux_2_28_aarch64", "windows-amd64": "win_amd64"}


def entries(tree, platform):
    """(name in the wheel, file, whether it is a program)."""
    windows = platform.startswith("windows")
    for file in sorted((HERE / "assetc").glob("*")):
        if file.suffix in (".py", ".typed") and file.name != "_native.py":
            yield f"assetc/{file.name}", file, False
    yield ("assetc/bin/assetc.exe", tree / "bin/assetc.exe", True) if windows else ("assetc/bin/assetc", tree / "bin/assetc", True)
    library = tree / "bin/libassetc.dll" if windows else (tree / "lib/libassetc.so").resolve()
    yield "assetc/lib/assetc.dll" if windows else "assetc/lib/libassetc.so", library, False
    # The program finds these from its own folder, as in an installation.
    for folder in ("lib/assetc", "share/assetc"):
        for file in sorted((tree / folder).rglob("*")):
            if file.is_file():
                yield f"assetc/{file.relative_to(tree).as_posix()}", file, bool(file.stat().st_mode & 0o100)


def main(tree, platform, out):
    tree, out = pathlib.Path(tree), pathlib.Path(out)
    header = (HERE / "../include/assetc/version.hpp").read_text(encoding="utf-8")
    version = ".".join(re.search(rf"ASSETC_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))
    stated = re.search(r'__version__ = "(.*)"', (HERE / "assetc/__init__.py").read_text(encoding="utf-8"))[1]
    if stated != version:
        sys.exit(f"build_wheel.py: python/assetc/__init__.py has version {stated}, expected {version}")
    name, info = f"assetc-{version}-py3-none-{TAGS[platform]}.whl", f"assetc-{version}.dist-info"
    stamp = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800))[:6]
    record = []
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made, zipfile.ZipFile(out / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        declarations = pathlib.Path(made, "_native.py")
        native.main(HERE / "../include/assetc/runtime.h", declarations)

        def add(path, data, program=False):
            entry = zipfile.ZipInfo(path, stamp)
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            entry.external_attr = (0o100755 if program else 0o100644) << 16
            wheel.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}")

        for path, file, program in [*entries(tree, platform), ("assetc/_native.py", declarations, False)]:
            if not file.is_file():
                sys.exit(f"build_wheel.py: found no {file}, which a wheel for {platform} needs")
            add(path, file.read_bytes(), program)
        for file in sorted((tree / "share/doc/assetc").rglob("*")):
            if file.is_file():
                add(f"{info}/licenses/{file.relative_to(tree / 'share/doc/assetc').as_posix()}", file.read_bytes())
        add(f"{info}/METADATA", "\n".join([
            "Metadata-Version: 2.1", "Name: assetc", f"Version: {version}", "License: MIT", "Requires-Python: >=3.9",
            "Summary: Compiles the source art of games, and loads the compiled files: the command and typed bindings",
            "Provides-Extra: numpy", 'Requires-Dist: numpy; extra == "numpy"', "Description-Content-Type: text/markdown", "",
            (HERE / "README.md").read_text(encoding="utf-8")]).encode())
        add(f"{info}/WHEEL", f"Wheel-Version: 1.0\nGenerator: assetc\nRoot-Is-Purelib: false\nTag: py3-none-{TAGS[platform]}\n".encode())
        add(f"{info}/entry_points.txt", b"[console_scripts]\nassetc = assetc.command:main\n")
        add(f"{info}/top_level.txt", b"assetc\n")
        record.append(f"{info}/RECORD,,")
        entry = zipfile.ZipInfo(f"{info}/RECORD", stamp)
        entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, 0o100644 << 16, 3
        wheel.writestr(entry, "\n".join(record) + "\n")
    print(out / name)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[2] not in TAGS:
        sys.exit(__doc__)
    main(*sys.argv[1:])
