"""Compares patches of bundles with those of xdelta3 and zstd --patch-from, over ten edits.

    python3 bench/bundle/bench.py build/release/assetc [MEGABYTES]

The cooked assets are synthetic: textures of 16-byte blocks that vary smoothly, with a mip chain; meshes of floats;
materials of text. After each edit the bundle is made again. Each program writes the patch between the two .pak files,
applies it, and the result is compared with the new bundle. xdelta3 -9 sees the whole old file; zstd runs at level 19
with a window over both files. The columns under "(plain)" are the patch sizes of both programs on the cooked contents,
concatenated and not compressed: the result if a bundle were stored that way and compressed by the download.
"""
import json
import math
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid


def texture(seed, side):
    """Blocks of 4x4 texels and their mips, as an encoder writes them: endpoints vary smoothly, indices vary a lot."""
    source, out = random.Random(seed), []
    fx, fy = source.uniform(0.05, 0.3), source.uniform(0.05, 0.3)
    while side >= 4:
        for y in range(side // 4):
            for x in range(side // 4):
                level = int(120 + 100 * math.sin(x * fx) * math.cos(y * fy))
                out.append(struct.pack("<BBBBBBBBII", 0x40, level, level, level // 2, level + 9, level + 5, level // 3, 7,
                                       source.getrandbits(32), source.getrandbits(12)))
        side //= 2
    return b"".join(out)


def mesh(seed, vertices):
    source = random.Random(seed)
    rows = [struct.pack("<8f", math.sin(i * 0.01) + source.random() * 0.01, math.cos(i * 0.013), i * 0.001, 0, 1, 0,
                        (i % 64) / 64, (i // 64) / 64) for i in range(vertices)]
    triangles = [struct.pack("<3H", i % 65000, (i + 1) % 65000, (i + source.randrange(3, 60)) % 65000)
                 for i in range(vertices * 2)]
    return b"".join(rows + triangles)


def material(seed):
    source = random.Random(seed)
    return json.dumps({"ShadingModel": "MetallicRoughness", "Scalars": {"Roughness": round(source.random(), 3),
                       "Metallic": round(source.random(), 2)}, "Vectors": {"BaseColor": [1, 1, 1, 1]},
                       "TextureBindings": [str(uuid.UUID(int=source.getrandbits(128)))]}).encode()


def make_assets(megabytes):
    assets, size, number = {}, 0, 0
    while size < megabytes << 20:
        kind = ("texture", "mesh", *["material"] * 8)[number % 10]
        content = (texture(number, random.Random(number).choice((256, 512, 1024))) if kind == "texture" else
                   mesh(number, random.Random(number).randrange(500, 20000)) if kind == "mesh" else material(number))
        assets[str(uuid.uuid5(uuid.NAMESPACE_URL, str(number)))] = [f"Engine/{kind}s/{kind}_{number}", content]
        size += len(content)
        number += 1
    return assets


def raw(content):
    """The AAS1 blob of a Raw asset: a header, its description, and the content."""
    description = struct.pack("<4sIII", b"BYTE", 0, len(content), 0)
    return struct.pack("<4sHBBII", b"AAS1", 1, 23, 0, len(description), len(content)) + description + content


def write_cooked(folder, assets):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "Assets").mkdir(parents=True)
    (folder / "Registry").mkdir()
    rows = []
    for who, (path, content) in sorted(assets.items()):
        (folder / "Assets" / f"{who}.bin").write_bytes(raw(content))
        rows.append({"Uuid": who, "Type": "Raw", "VirtualPath": path, "CookedPath": f"Assets/{who}.bin",
                     "Dependencies": [], "Desc": {}})
    (folder / "Registry/AssetRegistry.json").write_text(
        json.dumps({"SchemaVersion": 1, "Assets": rows, "Redirectors": []}))
    (folder / "contents").write_bytes(b"".join(content for _, (_, content) in sorted(assets.items())))


def of_kind(assets, kind, least=0):
    return next(a for a in sorted(assets) if f"/{kind}_" in assets[a][0] and len(assets[a][1]) > least)


def edit_region(assets):
    who = of_kind(assets, "texture", 500_000)
    content, row = bytearray(assets[who][1]), 256 * 16
    for y in range(40, 80):
        at = y * row + 60 * 16
        content[at:at + 50 * 16] = os.urandom(50 * 16)
    assets[who][1] = bytes(content)


def edit_texture(assets):
    assets[of_kind(assets, "texture", 100_000)][1] = texture(10 ** 6, 512)


def edit_mesh(assets):
    assets[of_kind(assets, "mesh", 200_000)][1] = mesh(10 ** 6 + 1, 9000)


def edit_percent(assets):
    for i, who in enumerate(sorted(assets)):
        if i % 100 == 0:
            path = assets[who][0]
            assets[who][1] = (texture(10 ** 6 + i, 256) if "texture_" in path else
                              mesh(10 ** 6 + i, 3000) if "mesh_" in path else material(10 ** 6 + i))


def edit_rename(assets):
    for asset in assets.values():
        asset[0] = asset[0].replace("Engine/textures", "Engine/Surfaces")


def edit_front(assets):
    assets[str(uuid.UUID(int=1))] = ["Engine/textures/texture_first", texture(10 ** 6 + 2, 256)]


def edit_remove(assets):
    del assets[of_kind(assets, "mesh", 100_000)]


def edit_insert(assets):
    who = of_kind(assets, "mesh", 300_000)
    content = assets[who][1]
    assets[who][1] = content[:6400] + mesh(10 ** 6 + 3, 20)[:640] + content[6400:]


def edit_materials(assets):
    for i, who in enumerate(a for a in sorted(assets) if "material_" in assets[a][0]):
        if i < 20:
            assets[who][1] = material(10 ** 6 + i)


def edit_copy(assets):
    assets[str(uuid.uuid5(uuid.NAMESPACE_URL, "copy"))] = ["Engine/textures/texture_copy",
                                                           assets[of_kind(assets, "texture", 100_000)][1]]


EDITS = [("part of a texture", edit_region), ("one texture", edit_texture), ("one mesh", edit_mesh),
         ("1 % of all", edit_percent), ("a folder renamed", edit_rename), ("one in front of all", edit_front),
         ("one removed", edit_remove), ("bytes inserted early", edit_insert), ("20 materials", edit_materials),
         ("a texture copied", edit_copy)]


def main():
    assetc, megabytes = pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 48
    for program in ("xdelta3", "zstd"):
        if not shutil.which(program):
            raise SystemExit(f"bench.py: {program} is not installed")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def timed(*command):
            """Seconds of processor time of all threads, so that other load on the machine hardly matters."""
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([str(part) for part in command], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        def same(a, b):
            if (folder / a).read_bytes() != (folder / b).read_bytes():
                raise SystemExit(f"bench.py: {a} and {b} differ")

        def xdelta3(old, new, out):
            window = max(1 << 20, (folder / old).stat().st_size)
            return timed("xdelta3", "-e", "-f", "-9", "-B", window, "-s", old, new, out)

        def zstd(old, new, out):
            return timed("zstd", "-q", "-f", "-19", "--long=30", "--patch-from", old, new, "-o", out)

        assets = make_assets(megabytes)
        write_cooked(folder / "old/Win64", assets)
        timed(assetc, "bundle", "create", "old.pak", "--cooked", "old/Win64")
        sums, times, applied = [0] * 6, [0.0] * 3, [0.0] * 3
        print(f"{len(assets)} assets, {sum(len(c) for _, c in assets.values()):,} bytes, "
              f"in a bundle of {(folder / 'old.pak').stat().st_size:,}")
        print(f"{'edit':22}{'changed':>11}{'assetc':>11}{'xdelta3':>11}{'zstd':>11}   {'(plain) xdelta3':>16}{'zstd':>11}")
        for what, edit in EDITS:
            changed = {who: list(asset) for who, asset in assets.items()}
            edit(changed)
            write_cooked(folder / "new/Win64", changed)
            timed(assetc, "bundle", "create", "new.pak", "--cooked", "new/Win64", "--name", "old", "--bundle-version", 2,
                  "--base", "old.pak")
            times[0] += timed(assetc, "bundle", "diff", "old.pak", "new.pak", "-o", "a.patch")
            times[1] += xdelta3("old.pak", "new.pak", "x.patch")
            times[2] += zstd("old.pak", "new.pak", "z.patch")
            xdelta3("old/Win64/contents", "new/Win64/contents", "x.plain")
            zstd("old/Win64/contents", "new/Win64/contents", "z.plain")
            applied[0] += timed(assetc, "bundle", "apply", "old.pak", "a.patch", "-o", "a.pak")
            applied[1] += timed("xdelta3", "-d", "-f", "-s", "old.pak", "x.patch", "x.pak")
            applied[2] += timed("zstd", "-q", "-f", "-d", "--long=30", "--patch-from", "old.pak", "z.patch", "-o", "z.pak")
            for made in ("a.pak", "x.pak", "z.pak"):
                same(made, "new.pak")
            new_bytes = sum(len(c) for who, (_, c) in changed.items() if who not in assets or assets[who][1] != c)
            sizes = [new_bytes, *((folder / f).stat().st_size for f in
                                  ("a.patch", "x.patch", "z.patch", "x.plain", "z.plain"))]
            sums = [a + b for a, b in zip(sums, sizes)]
            print(f"{what:22}" + "".join(f"{n:11,}" for n in sizes[:4]) + f"   {sizes[4]:16,}{sizes[5]:11,}", flush=True)
        print(f"{'sum':22}" + "".join(f"{n:11,}" for n in sums[:4]) + f"   {sums[4]:16,}{sums[5]:11,}")
        print("processor seconds to diff:  " + "  ".join(f"{n} {t:.2f}" for n, t in zip(("assetc", "xdelta3", "zstd"), times)))
        print("processor seconds to apply: " + "  ".join(f"{n} {t:.2f}" for n, t in zip(("assetc", "xdelta3", "zstd"), applied)))
        print(f"size: {sums[1] / min(sums[2:4]):.2f} of the better of the two; "
              f"time to diff: {times[0] / min(times[1:]):.2f} of the faster")


main()
