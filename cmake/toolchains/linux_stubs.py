"""Writes the assembler text and the version script of a stub of a shared library: its dynamic symbols, without code.

linux_stubs.py LIBRARY OUT NEWEST    writes OUT.S and OUT.map

Of each symbol, the newest version that is not above GLIBC_<NEWEST> becomes the one that the linker chooses.
"""
import re
import subprocess
import sys

library, out, newest = sys.argv[1:]


def number(version):
    """(2, 28) of GLIBC_2.28; None of other names, such as GLIBC_PRIVATE."""
    found = re.fullmatch(r"GLIBC_([\d.]+)", version)
    return tuple(map(int, found[1].split("."))) if found else None


limit = number("GLIBC_" + newest)
chosen = {}
for line in subprocess.check_output(["readelf", "--wide", "--dyn-syms", library], text=True).splitlines():
    fields = line.split()
    if len(fields) < 8 or fields[6] == "UND" or "@" not in fields[7]:
        continue
    size, kind, binding = int(fields[2], 0), fields[3], fields[4]
    name, version = re.split("@+", fields[7])
    key = number(version)
    if key is None or key > limit or name == version:
        continue
    if name not in chosen or chosen[name][0] < key:
        chosen[name] = (key, version, kind, size, binding)

lines, versions = [], {}
for name, (key, version, kind, size, binding) in sorted(chosen.items()):
    section = {"TLS": '.section .tbss,"awT",@nobits', "OBJECT": ".bss"}.get(kind, ".text")
    label = f"stub_{len(versions.setdefault(version, []))}_{version.replace('.', '_')}"
    versions[version].append(name)
    elf_type = {"TLS": "tls_object", "OBJECT": "object"}.get(kind, "function")
    lines += [section, ".balign 32", f".{'weak' if binding == 'WEAK' else 'globl'} {label}", f".type {label}, %{elf_type}",
              f"{label}: .zero {max(size, 1) if kind in ('TLS', 'OBJECT') else 1}",
              f".size {label}, {size if kind in ('TLS', 'OBJECT') else 1}", f".symver {label}, {name}@@@{version}"]
lines.append('.section .note.GNU-stack,"",%progbits')
with open(out + ".S", "w") as text:
    text.write("\n".join(lines) + "\n")
with open(out + ".map", "w") as text:
    for version in sorted(versions, key=number):
        text.write(f"{version} {{ }};\n")
    text.write("ASSETC_LOCAL { local: *; };\n")
