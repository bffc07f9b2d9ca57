"""Measures a build whose outputs all come from the cache, and copying the same outputs with cp.

    python3 bench/cache/bench.py build/release/assetc [SOURCES] [FOLDER]

Synthetic pictures of 16x16 texels, a thousand in each folder, are compiled with an empty cache and without a cache.
Then a second checkout is built: every output comes from the cache. cp -r copies the output folder of the first
checkout.
"""
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pictures import png  # noqa: E402: the module is in the folder above


def seconds(command, cwd, cache="off"):
    begin = time.monotonic()
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"ASSETC_CACHE": str(cache)})
    return time.monotonic() - begin


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    place = tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    base = pathlib.Path(place.name)
    source = random.Random(1)
    for i in range(count):
        folder = base / f"first/assets/{i // 1000:03}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"picture_{i:06}.png").write_bytes(png(source, 16))
    shutil.copytree(base / "first", base / "second")
    shutil.copytree(base / "first", base / "plain")
    times = {
        "build without a cache": seconds([program, "-q"], base / "plain"),
        "build that fills the cache": seconds([program, "-q"], base / "first", base / "cache"),
        "cp -r of the output": seconds(["cp", "-r", "runtime", "copy"], base / "first"),
        "build from the cache": seconds([program, "-q"], base / "second", base / "cache"),
        "build with nothing to do": seconds([program, "-q"], base / "second", base / "cache"),
    }
    for name, taken in times.items():
        print(f"{name:28}{taken:8.2f} s {taken / times['cp -r of the output']:8.2f} x cp")


main()
