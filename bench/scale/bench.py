"""Compares two shards on two cores with one build of two threads.

    python3 bench/scale/bench.py build/release/assetc [PICTURES] [FOLDER]

The sources are synthetic pictures of 64x64 to 512x512 texels. One build compiles them with -j 2, with an empty cache
and without one. Then two shards with -j 1 each run at the same time, divided by guessed costs and by recorded ones.
Then a build assembles their outputs.
"""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import time
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(source, side):
    base = source.randbytes(4 * side)
    rows = bytearray()
    for y in range(side):
        rows.append(0)
        rows += bytes((b + y * (i % 4 + 1)) & 255 for i, b in enumerate(base))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(bytes(rows), 1)) + chunk(b"IEND", b""))


class Bench:
    def __init__(self, program, project):
        self.program, self.project = program, project

    def start(self, *words, cache="off"):
        return subprocess.Popen([self.program, "-q", *words], cwd=self.project, env=os.environ | {"ASSETC_CACHE": str(cache)})

    def run(self, name, *commands, cache="off"):
        begin = time.monotonic()
        running = [self.start(*words, cache=cache) for words in commands]
        for one in running:
            if one.wait() != 0:
                sys.exit(f"{name}: assetc failed")
        print(f"{name:42}{time.monotonic() - begin:8.2f} s")


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    place = tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    base = pathlib.Path(place.name)
    (base / "assets").mkdir()
    source = random.Random(1)
    for i in range(count):
        (base / f"assets/picture_{i:06}.png").write_bytes(picture(source, 64 << min(3, int(source.expovariate(0.8)))))
    bench = Bench(program, base)
    bench.run("one build, -j 2", ["-j2", "-o", "plain", "--report", "costs.json"])
    bench.run("one build, -j 2, which fills a cache", ["-j2", "-o", "filled"], cache=base / "cache")
    for name, more in (("guessed", []), ("recorded", ["--costs", "costs.json"])):
        cache = base / f"cache_{name}"
        bench.run(f"two shards, -j 1, by {name} costs",
                  *(["-j1", "--shard", f"{number}/2", *more] for number in (1, 2)), cache=cache)
        bench.run("and the build that assembles, -j 2", ["-j2", "-o", f"assembled_{name}"], cache=cache)
        for folder in base.glob("*/.assetc-cache*"):
            folder.unlink()
        if subprocess.run(["diff", "-r", base / "plain", base / f"assembled_{name}"]).returncode != 0:
            sys.exit("the shards made another tree than the build")


main()
