"""Measures the time from a save to its outputs in a watch of many sources, and no-op runs of assetc and ninja.

    python3 bench/watch/bench.py build/release/assetc [SOURCES] [FOLDER]

Each folder has a thousand sources: pictures of noise of 4 x 4 texels, 20 models of a triangle with an embedded
picture, and 20 models that share one .mtl. The watch gets time to settle. Then files are saved one by one. Each save is
timed from the return of its write to the line that reports the finished build. For comparison, assetc and ninja (with
as many edges) run with nothing changed: the least time of a watch that starts one of them after each save.
"""
import base64
import json
import os
import pathlib
import queue
import random
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pictures import png  # noqa: E402: the module is in the folder above

FOLDER = 1000
TEXELS = 4
SAVES = 30
SETTLE_S = 5  # for the first build, and the preparations of the watch after it
REST_S = 0.4  # between saves, so that the work after a build has ended


def gltf(source):
    corners = struct.pack("<9f", 0, 0, 0, source.random(), 0, 0, 0, 1, 0) + struct.pack("<6f", 0, 0, 1, 0, 0, 1)
    uri = "data:application/octet-stream;base64," + base64.b64encode(corners).decode()
    picture = "data:image/png;base64," + base64.b64encode(png(source, TEXELS)).decode()
    views = [{"buffer": 0, "byteOffset": 0, "byteLength": 36}, {"buffer": 0, "byteOffset": 36, "byteLength": 24}]
    accessors = [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
                 {"bufferView": 1, "componentType": 5126, "count": 3, "type": "VEC2"}]
    return json.dumps({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "TEXCOORD_0": 1}, "material": 0}]}],
        "materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}],
        "textures": [{"source": 0}], "images": [{"uri": picture}],
        "buffers": [{"byteLength": 60, "uri": uri}], "bufferViews": views, "accessors": accessors}).encode()


def obj(source):
    return f"mtllib all.mtl\nusemtl red\nv 0 0 0\nv {source.random()} 0 0\nv 0 1 0\nf 1 2 3\n".encode()


def mtl(source):
    return f"newmtl red\nKd {source.random()} 0 0\n".encode()


def make_tree(root, count):
    source = random.Random(1)
    for i in range(count):
        folder = root / f"assets/{i // FOLDER:03}"
        at = i % FOLDER
        if at == 0:
            folder.mkdir(parents=True)
            (folder / "all.mtl").write_bytes(mtl(source))
        if at < 20:
            (folder / f"triangle{at:03}.gltf").write_bytes(gltf(source))
        elif at < 40:
            (folder / f"shared{at:03}.obj").write_bytes(obj(source))
        else:
            (folder / f"picture{at:03}.png").write_bytes(png(source, TEXELS))


class Watch:
    def __init__(self, program, root):
        self.process = subprocess.Popen([program, "watch", "--json"], cwd=root, stdout=subprocess.PIPE, text=True)
        self.lines = queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put((time.monotonic(), json.loads(line)))

    def finished(self):
        while True:
            when, event = self.lines.get(timeout=600)
            if event["event"] == "summary":
                return when, event

    def cpu_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def save(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return time.monotonic()


def renamed(path, data):
    beside = path.with_name(path.name + "~")
    beside.write_bytes(data)
    os.rename(beside, path)
    return time.monotonic()


def removed(path):
    os.unlink(path)
    return time.monotonic()


def best(command, cwd, times=3):
    taken = []
    for _ in range(times):
        begin = time.monotonic()
        subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL)
        taken.append(time.monotonic() - begin)
    return min(taken)


def ninja_nothing(base, root):
    """Seconds of a no-op build of ninja: a graph with one edge for each source."""
    if shutil.which("ninja") is None:
        return None
    place = base / "ninja"
    place.mkdir()
    sources = sorted(p for p in root.glob("assets/*/*") if p.suffix != ".mtl")
    lines = ["rule touch", "  command = true"]
    (place / "out").mkdir()
    for i, path in enumerate(sources):
        (place / f"out/{i}").touch()
        lines.append(f"build out/{i}: touch {path}")
    (place / "build.ninja").write_text("\n".join(lines) + "\n")
    subprocess.run(["ninja", "-C", place, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    return best(["ninja", "-C", place], place)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 100_000
    place = tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    base = pathlib.Path(place.name)
    root = base / "project"
    os.environ["ASSETC_CACHE"] = "off"
    make_tree(root, count)
    subprocess.run([program, "-q"], cwd=root, check=True)
    time.sleep(0.1)
    subprocess.run([program, "-q"], cwd=root, check=True)
    nothing = best([program, "-q"], root)
    ninja = ninja_nothing(base, root)
    print(f"{count:,} sources, where nothing changed: assetc {1000 * nothing:.0f} ms" +
          (f", ninja {1000 * ninja:.0f} ms" if ninja else ""))

    source = random.Random(2)
    folders = sorted(root.glob("assets/*"))
    watch = Watch(program, root)
    time.sleep(SETTLE_S)
    new = []

    def saved_new(i):
        path = source.choice(folders) / f"new{i}.png"
        new.append(path)
        return save(path, png(source, TEXELS))

    kinds = {
        "a picture": lambda i: save(source.choice(folders) / f"picture{source.randrange(40, FOLDER):03}.png", png(source, TEXELS)),
        "a picture, renamed over the old one":
            lambda i: renamed(source.choice(folders) / f"picture{source.randrange(40, FOLDER):03}.png", png(source, TEXELS)),
        "a model with a picture inside": lambda i: save(source.choice(folders) / f"triangle{source.randrange(20):03}.gltf",
                                                        gltf(source)),
        "a .mtl that 20 models share": lambda i: save(source.choice(folders) / "all.mtl", mtl(source)),
        "a new picture": saved_new,
        "a picture is removed": lambda i: removed(new[i]),
    }
    everything = []
    print(f"{'a save of':38}{'median':>9}{'95 %':>9}{'longest':>9}{'CPU':>9}")
    for name, change in kinds.items():
        taken, cpu = [], watch.cpu_seconds()
        for i in range(SAVES):
            begin = change(i)
            taken.append(watch.finished()[0] - begin)
            time.sleep(REST_S + source.random() / 10)
        cpu = (watch.cpu_seconds() - cpu) / SAVES
        everything += taken
        print_line(name, taken, cpu)
    print_line("all of them", everything, None)
    watch.process.terminate()
    watch.process.wait()
    again = subprocess.run([program, "--json"], cwd=root, check=True, capture_output=True, text=True).stdout.splitlines()
    assert json.loads(again[-1])["ran"] == 0, again[-1]


def print_line(name, taken, cpu):
    taken = sorted(taken)
    ms = [statistics.median(taken), taken[int(0.95 * len(taken))], taken[-1]] + ([cpu] if cpu is not None else [])
    print(f"{name:38}" + "".join(f"{1000 * value:6.0f} ms" for value in ms), flush=True)


main()
