"""Bytes per triangle of a mesh of a million triangles, beside gltfpack and Draco at equal error.

    python3 bench/mesh/size.py build/release/assetc build/release/gltfpack [DRACO_ENCODER [DRACO_DECODER]]

The model is the displaced sphere of process.py: 999,698 triangles with normals and texture coordinates. Its longest side
is 2.09, so 14 bits of gltfpack and Draco are steps of 0.000128. assetc rounds to powers of two: 15 bits are steps of
0.000122. Texture coordinates have 12 bits, normals 8 in all files.

- One level: without tangents, which the peers do not write either. Meshlets are included; their bounds are named apart.
- Three levels: 100, 50 and 25 % of the triangles. gltfpack and Draco need a file for each level; gltfpack simplifies
  for both. The bytes are divided by the triangles of all levels.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

import process

TRIANGLES = 999_698
QUANTIZE = ["--mesh.quantize", "true", "--mesh.position_bits", "15"]


def run(words, cwd):
    return subprocess.run(words, cwd=cwd, check=True, capture_output=True, text=True,
                          env=os.environ | {"ASSETC_CACHE": "off"}).stdout


def chunks(path):
    """The stored bytes of each chunk."""
    file = path.read_bytes()
    count = struct.unpack_from("<I", file, 8)[0]
    return {file[at:at + 4].decode(): struct.unpack_from("<Q", file, at + 16)[0] for at in range(32, 32 + 24 * count, 24)}


def triangles_of_glb(path):
    file = path.read_bytes()
    document = json.loads(file[20:20 + struct.unpack_from("<I", file, 12)[0]])
    return sum(document["accessors"][p["indices"]]["count"] for m in document["meshes"] for p in m["primitives"]) // 3


def obj(parts, path):
    positions, normals, texcoords, triangles = parts
    with open(path, "w", encoding="ascii") as out:
        for kind, data, width in (("v", positions, 3), ("vn", normals, 3), ("vt", texcoords, 2)):
            for row in struct.iter_unpack(f"<{width}f", data):
                out.write(f"{kind} {' '.join(map(repr, row))}\n")
        for row in struct.iter_unpack("<3I", triangles):
            out.write("f " + " ".join(f"{i + 1}/{i + 1}/{i + 1}" for i in row) + "\n")


def line(who, size, triangles, more=""):
    print(f"  {who:34}{size:>10,} bytes{size / triangles:>7.2f} a triangle{more}")


def main():
    assetc, gltfpack, *draco = (str(pathlib.Path(word).resolve()) if "/" in word else word for word in sys.argv[1:])
    parts = process.sphere()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "sphere.glb").write_bytes(process.glb(parts))

        def convert(output, *settings):
            run([assetc, "convert", "sphere.glb", output, *settings], folder)
            return (folder / output).stat().st_size

        print("one level")
        for how in ("meshopt", "meshopt-zstd"):
            size = convert("one.hmesh", *QUANTIZE, "--mesh.lods", "0", "--mesh.tangents", "false", "--mesh.compress", how)
            bounds = chunks(folder / "one.hmesh")["MLBN"]
            line(f"assetc {how}", size, TRIANGLES, f", {bounds / TRIANGLES:.2f} of bounds of meshlets")
        with_tangents = convert("one.hmesh", *QUANTIZE, "--mesh.lods", "0", "--mesh.compress", "meshopt-zstd")
        line("assetc meshopt-zstd with tangents", with_tangents, TRIANGLES)
        exact = convert("exact.hmesh", "--mesh.lods", "0", "--mesh.tangents", "false", "--mesh.compress", "meshopt")
        line("assetc meshopt, exact", exact, TRIANGLES)
        for how in ("-c", "-cc", "-cz"):
            # -kv: keep texture coordinates without a texture.
            run([gltfpack, "-i", "sphere.glb", "-o", "packed.glb", how, "-kv"], folder)
            line(f"gltfpack {how}", (folder / "packed.glb").stat().st_size, TRIANGLES)
        if draco:
            obj(parts, folder / "sphere.obj")
            for level in ("10", "7", "0"):
                run([draco[0], "-i", "sphere.obj", "-o", "sphere.drc", "-qp", "14", "-qt", "12", "-qn", "8", "-cl", level], folder)
                more = ""
                if len(draco) > 1:
                    told = re.search(r"\((\d+) ms", run([draco[1], "-i", "sphere.drc", "-o", "back.ply"], folder))
                    more = f", decoded in {told.group(1)} ms" if told else ""
                line(f"Draco -cl {level}", (folder / "sphere.drc").stat().st_size, TRIANGLES, more)

        print("three levels")
        for how in ("meshopt", "meshopt-zstd"):
            size = convert("three.hmesh", *QUANTIZE, "--mesh.tangents", "false", "--mesh.compress", how)
            info = json.loads(run([assetc, "info", "three.hmesh", "--json"], folder).splitlines()[0])
            assert info["lods"] == 2
            stored = chunks(folder / "three.hmesh")
            line(f"assetc {how}", size, TRIANGLES * 1.75,
                 f", {stored['LODI'] / TRIANGLES / 0.75:.2f} a triangle of the reduced levels")
        for how in ("-c", "-cc", "-cz"):
            size = triangles = 0
            for ratio in ("1", "0.5", "0.25"):
                run([gltfpack, "-i", "sphere.glb", "-o", "packed.glb", how, "-kv", "-si", ratio], folder)
                size += (folder / "packed.glb").stat().st_size
                triangles += triangles_of_glb(folder / "packed.glb")
            line(f"gltfpack {how}", size, triangles)


main()
