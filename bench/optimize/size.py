#!/usr/bin/env python3
"""Compares assetc optimize with gltfpack: sizes and times on the same models, in one run.

  bench/optimize/size.py ASSETC GLTFPACK MODEL...

Both write 14-bit positions, 12-bit texture coordinates and 8-bit normals with EXT_meshopt_compression, and embed
pictures as they are. gltfpack -cc joins nodes that have no clips; with -kn -km -ke -kv it keeps names, materials, extras
and attributes, as assetc always does. Times are the best of three runs without a cache. Sizes are bytes, of which `json` is the
text of ours. A file that one of them refuses is left out.
"""

import os
import struct
import subprocess
import sys
import tempfile
import time


def best(command, env):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        done = subprocess.run(command, env=env, capture_output=True)
        times.append(time.perf_counter() - start)
        if done.returncode != 0:
            return None
    return min(times)


def main():
    assetc, gltfpack, *models = sys.argv[1:]
    rows, sums = [], [0] * 4
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, ASSETC_CACHE="off")
        out = {name: os.path.join(folder, name + ".glb") for name in ("ours", "kept", "joined")}
        for model in models:
            commands = {
                "ours": [assetc, "optimize", model, out["ours"], "--keep-pictures"],
                "kept": [gltfpack, "-i", model, "-o", out["kept"], "-cc", "-kn", "-km", "-ke", "-kv"],
                "joined": [gltfpack, "-i", model, "-o", out["joined"], "-cc"],
            }
            times = {name: best(command, env) for name, command in commands.items()}
            if None in times.values():
                continue
            sizes = [os.path.getsize(out[name]) for name in commands]
            with open(out["ours"], "rb") as file:
                json_bytes = struct.unpack_from("<I", file.read(20), 12)[0]
            rows.append((os.path.basename(model), sizes, json_bytes, list(times.values())))
            sums = [a + b for a, b in zip(sums, [*sizes, 1])]
    print(f"{'model':40} {'assetc':>10} {'json':>7} {'-cc -k*':>15} {'-cc':>10}   {'assetc':>8} {'-k*':>11} {'-cc':>8}")
    for name, sizes, json_bytes, times in rows:
        print(
            f"{name[:40]:40} {sizes[0]:10} {json_bytes:7} {sizes[1]:15} {sizes[2]:10}   "
            f"{times[0] * 1000:5.0f} ms {times[1] * 1000:8.0f} ms {times[2] * 1000:5.0f} ms"
        )
    print(f"{sums[3]} models: {sums[0]} bytes, gltfpack -cc -kn -km -ke -kv {sums[1]}, gltfpack -cc {sums[2]}")


main()
