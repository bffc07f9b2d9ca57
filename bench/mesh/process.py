"""A GLB of a million triangles to an .hmesh, beside gltfpack on the same file: both as whole processes.

    python3 bench/mesh/process.py build/release/assetc build/release/gltfpack [RUNS]

The model is a displaced sphere of 999,698 triangles with normals and texture coordinates. assetc compiles it with its
default settings: tangents, meshlets, two levels of detail, vertex and index order, and it writes .hmesh, .hmat and a
manifest. gltfpack -noq -si 0.5 simplifies it to half, orders it and writes a GLB. Runs alternate; the least time counts.
"""
import math
import os
import pathlib
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import time

SLICES, STACKS = 707, 708


def sphere():
    """Positions, normals, texture coordinates and triangles, as bytes."""
    rows = bytearray(), bytearray(), bytearray()
    for stack in range(STACKS + 1):
        theta = math.pi * stack / STACKS
        sine, cosine = math.sin(theta), math.cos(theta)
        for s in range(SLICES + 1):
            phi = 2 * math.pi * s / SLICES
            n = (sine * math.cos(phi), cosine, sine * math.sin(phi))
            r = 1 + 0.05 * math.sin(9 * phi) * math.sin(11 * theta) + 0.004 * math.sin(97 * phi + 61 * theta) * sine
            rows[0].extend(struct.pack("<3f", *(r * c for c in n)))
            rows[1].extend(struct.pack("<3f", *n))
            rows[2].extend(struct.pack("<2f", s / SLICES, stack / STACKS))
    triangles = bytearray()
    for stack in range(STACKS):
        for s in range(SLICES):
            a = stack * (SLICES + 1) + s
            b = a + SLICES + 1
            if stack > 0:
                triangles += struct.pack("<3I", a, a + 1, b)
            if stack < STACKS - 1:
                triangles += struct.pack("<3I", a + 1, b + 1, b)
    return [bytes(part) for part in (*rows, triangles)]


def glb(parts):
    import json
    positions, normals, texcoords, triangles = parts
    count = len(positions) // 12
    views, at = [], 0
    for part in parts:
        views.append({"buffer": 0, "byteOffset": at, "byteLength": len(part)})
        at += len(part)
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2}, "indices": 3}]}],
        "buffers": [{"byteLength": at}], "bufferViews": views,
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3", "min": [-1.1] * 3, "max": [1.1] * 3},
            {"bufferView": 1, "componentType": 5126, "count": count, "type": "VEC3"},
            {"bufferView": 2, "componentType": 5126, "count": count, "type": "VEC2"},
            {"bufferView": 3, "componentType": 5125, "count": len(triangles) // 4, "type": "SCALAR"}]}
    low = [min(struct.unpack_from("<f", positions, 12 * i + 4 * c)[0] for i in range(count)) for c in range(3)]
    high = [max(struct.unpack_from("<f", positions, 12 * i + 4 * c)[0] for i in range(count)) for c in range(3)]
    document["accessors"][0]["min"], document["accessors"][0]["max"] = low, high
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = b"".join(parts)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(body)) + struct.pack("<I4s", len(text), b"JSON") + text +
            struct.pack("<I4s", len(body), b"BIN\0") + body)


def measure(words, cwd):
    """Seconds by the clock, and of the processor."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"ASSETC_CACHE": "off"})
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    assetc, gltfpack = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 5
    parts = sphere()
    assert len(parts[3]) == 12 * 999_698
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "assets").mkdir()
        (folder / "assets/sphere.glb").write_bytes(glb(parts))
        least = {}
        for _ in range(runs):
            shutil.rmtree(folder / "runtime", ignore_errors=True)
            for who, words in (("assetc", [assetc, "-q"]),
                               ("gltfpack", [gltfpack, "-noq", "-si", "0.5", "-i", "assets/sphere.glb", "-o", "packed.glb"])):
                taken = measure(words, folder)
                least[who] = tuple(map(min, taken, least.get(who, taken)))
        for who, file in (("assetc", "runtime/sphere.hmesh"), ("gltfpack", "packed.glb")):
            wall, cpu = least[who]
            print(f"{who:10}{wall:8.3f} s{cpu:8.3f} s of the processor{(folder / file).stat().st_size / 1e6:8.1f} MB")


if __name__ == "__main__":
    main()
