"""Measures imports beside their disk work alone.

    python3 bench/import/bench.py build/release/assetc [SOURCES] [FOLDER] [TEXELS]

The sources are synthetic pictures of noise, TEXELS wide and high (16: 1.1 KiB each; 128: 64 KiB), a thousand in each
folder. sha256sum reads all of them: the cost of a program that ignores time stamps and finds that nothing changed. cp
copies the .meta files that the first import wrote: the cost of creating as many files. Nothing is removed before the
end, because file systems are slow to reuse space that was freed a moment ago.
"""
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pictures import png  # noqa: E402: the module is in the folder above


def make_tree(root, count, texels):
    source = random.Random(1)
    for i in range(count):
        folder = root / f"Assets/Textures/{i // 1000:03}"
        if i % 1000 == 0:
            folder.mkdir(parents=True)
        (folder / f"picture_{i:06}.png").write_bytes(png(source, texels))


def seconds(command, cwd):
    begin = time.monotonic()
    subprocess.run(command, cwd=cwd, check=True, shell=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - begin


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    place = tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    base = pathlib.Path(place.name)
    root = base / "repository"
    make_tree(root, count, int(sys.argv[4]) if len(sys.argv) > 4 else 16)
    run = f"{program} import -q"
    everything = "find Assets -name '*.png' -print0 | xargs -0 sha256sum"
    seconds(everything, root)
    reading = min(seconds(everything, root) for _ in range(3))
    first = seconds(run, root)
    for meta in root.glob("Assets/**/*.meta"):
        twin = base / "metas" / meta.relative_to(root)
        twin.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(meta, twin)
    copying = seconds("cp -r metas copy", base)
    time.sleep(0.1)
    seconds(run, root)
    nothing = min(seconds(run, root) for _ in range(3))
    few = []
    for i in range(3):
        shutil.copy(root / "Assets/Textures/000/picture_000000.png", root / f"Assets/Textures/000/new_{i}.png")
        few.append(seconds(run, root))
    for name, taken in (("sha256sum of all sources", reading), ("cp -r of all .meta files", copying),
                        ("import, nothing changed", nothing), ("import, one new source", min(few)),
                        ("import, the first", first)):
        print(f"{name:28}{taken:8.2f} s {taken / reading:8.2f} x sha256sum")


main()
