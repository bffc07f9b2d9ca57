"""Builds with an empty local cache and a filled shared cache, compared with compiling everything locally.

    python3 bench/cache/remote.py build/release/assetc [KINDS] [FOLDER]

KINDS: some of textures,meshes,shaders; default: all. nginx with WebDAV serves on loopback. A proxy between adds a round
trip of 5 or of 40 ms, or limits the throughput to 100 Mbit/s. Each build runs three times, the variants in turn; the
shortest time counts. For comparison, the time to move the bytes alone: `curl --parallel` of all files of this kind on
the server, then `cp -r` of the outputs.
"""
import asyncio
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from pictures import png  # noqa: E402: the module is in the folder above

ROUNDS = 3
LINKS = {"0 ms": None, "5 ms": (0.005, None), "40 ms": (0.040, None), "100 Mbit/s": (0.001, 100e6 / 8)}


def textures(assets):
    """Smooth pictures with some noise, at the best quality."""
    source = random.Random(1)
    for i in range(24):
        (assets / f"picture_{i:03}.png").write_bytes(png(source, 1024))
    (assets.parent / "assetc.yml").write_text("default: {texture: {quality: best}}\n")


def meshes(assets):
    source = random.Random(2)
    for i in range(4000):
        points = [[source.random() for _ in range(3)] for _ in range(100)]
        text = "".join(f"v {x:.5f} {y:.5f} {z:.5f}\n" for x, y, z in points)
        text += "".join("f {} {} {}\n".format(*source.sample(range(1, 101), 3)) for _ in range(180))
        (assets / f"mesh_{i:04}.obj").write_text(text)


def shaders(assets):
    for i in range(600):
        (assets / f"shader_{i:03}.shader").mkdir()
        (assets / f"shader_{i:03}.shader/fragment.glsl").write_text(
            "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(location = 0) out vec4 color;\nvoid main() {\n  vec4 c = vec4(uv, 0, 1);\n"
            + "".join(f"  c = c * {i}.{j}5 + sin(c.yzwx * {j}.0);\n" for j in range(60)) + "  color = c;\n}\n")


class Link(threading.Thread):
    """A proxy in front of nginx: delays each chunk by half a round trip and limits the throughput."""

    def __init__(self, to, round_trip, bytes_per_second):
        super().__init__(daemon=True)
        self.to, self.delay, self.rate = to, round_trip / 2, bytes_per_second
        self.free = {True: 0.0, False: 0.0}
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.listening.getsockname()[1]
        self.start()

    def run(self):
        asyncio.run(self.serve())

    async def serve(self):
        server = await asyncio.start_server(self.connect, sock=self.listening)
        await server.serve_forever()

    async def connect(self, reader, writer):
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self.to)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self.pump(reader, there_writer, True), self.pump(there_reader, writer, False))

    async def pump(self, reader, writer, up):
        queue = asyncio.Queue(maxsize=64)

        async def deliver():
            try:
                while True:
                    at, data = await queue.get()
                    wait = at - time.monotonic()
                    if wait > 0:
                        await asyncio.sleep(wait)
                    if not data:
                        break
                    writer.write(data)
                    await writer.drain()
            except OSError:  # the client compiled the step itself and closed the connection
                pass
            writer.close()

        delivering = asyncio.create_task(deliver())
        try:
            while True:
                data = await reader.read(65536)
                now = time.monotonic()
                sent = max(now, self.free[up]) + (len(data) / self.rate if self.rate else 0)
                self.free[up] = sent
                await queue.put((sent + self.delay, data))
                if not data:
                    break
            await delivering
        except OSError:
            delivering.cancel()


def start_nginx(base):
    nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    (base / "store").mkdir()
    os.chmod(base, 0o755)
    temporary = "".join(f"{name}_temp_path {base}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (base / "nginx.conf").write_text(
        f"daemon off; worker_processes 1; pid {base}/pid; error_log {base}/error.log; events {{ worker_connections 512; }}\n"
        f"http {{ access_log off; {temporary} client_max_body_size 0; keepalive_requests 1000000; tcp_nodelay on; sendfile on;\n"
        f"server {{ listen 127.0.0.1:{port}; location / {{ root {base}/store; dav_methods PUT; create_full_put_path on; }} }} }}\n"
        + ("user root;\n" if os.getuid() == 0 else ""))
    process = subprocess.Popen([nginx, "-c", base / "nginx.conf", "-e", base / "error.log"], stderr=subprocess.DEVNULL)
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port
        except OSError:
            time.sleep(0.05)


def put_away(folder):
    """Renames the folder instead of removing it. When ext4 makes a file, it skips inodes that were freed in the last
    minute, one by one (RECENTCY_MIN in fs/ext4/ialloc.c), so nothing is removed until all times are taken."""
    if folder.exists():
        folder.rename(folder.parent / f"away_{time.monotonic_ns()}")


def build(program, project, cache, remote, mode="read"):
    put_away(project / "runtime")
    for leftover in project.glob(".assetc-cache*"):
        leftover.unlink()
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASSETC_")}
    env |= {"ASSETC_CACHE": str(cache), "ASSETC_CACHE_REMOTE": remote, "ASSETC_CACHE_REMOTE_MODE": mode}
    begin = time.monotonic()
    out = subprocess.run([program], cwd=project, check=True, capture_output=True, text=True, env=env)
    taken = time.monotonic() - begin
    if "warning" in out.stderr:
        print(out.stderr, file=sys.stderr)
    return taken, out.stdout.splitlines()[-1] if out.stdout else ""


def fetch(base, kind, port, to):
    to.mkdir()
    store = base / "store" / kind
    names = [str(f.relative_to(store)) for f in store.rglob("*") if f.is_file()]
    config = "".join(f"url = http://127.0.0.1:{port}/{kind}/{n}\noutput = {to / n.rpartition('/')[2]}\n" for n in names)
    subprocess.run(["curl", "-sS", "--parallel", "--parallel-max", "16", "--config", "-"], check=True, input=config, text=True,
                   capture_output=True)  # hides curl's progress meter


def main():
    program = str(pathlib.Path(sys.argv[1]).resolve())
    kinds = sys.argv[2].split(",") if len(sys.argv) > 2 else ["textures", "meshes", "shaders"]
    place = tempfile.TemporaryDirectory(dir=sys.argv[3] if len(sys.argv) > 3 else None)
    base = pathlib.Path(place.name)
    process, port = start_nginx(base)
    links = {name: port if link is None else Link(port, *link).port for name, link in LINKS.items()}
    try:
        for kind in kinds:
            project = base / kind
            (project / "assets").mkdir(parents=True)
            globals()[kind](project / "assets")
            keep = base / "warm"  # the first machine: fills nginx and records the costs that later builds use
            build(program, project, keep, f"http://127.0.0.1:{port}/{kind}", "read-write")
            costs = (keep / "costs-1").read_bytes()
            least, last = {}, {}
            for round_number in range(ROUNDS):
                runs = [("compiled here", "off"), *((n, f"http://127.0.0.1:{p}/{kind}") for n, p in links.items())]
                for name, remote in runs:
                    cache = base / "second"
                    cache.mkdir()
                    (cache / "costs-1").write_bytes(costs)
                    taken, said = build(program, project, cache, remote)
                    put_away(cache)
                    if taken < least.get(name, 1e9):
                        least[name], last[name] = taken, said
                begin = time.monotonic()
                subprocess.run(["cp", "-r", "runtime", f"copy_{round_number}"], cwd=project, check=True)
                copied = time.monotonic() - begin
                least["cp -r"] = min(least.get("cp -r", 1e9), copied)
                begin = time.monotonic()
                fetch(base, kind, port, base / f"fetched_{kind}_{round_number}")
                least["curl, cp -r"] = min(least.get("curl, cp -r", 1e9), copied + time.monotonic() - begin)
            put_away(keep)
            size = sum(f.stat().st_size for f in (project / "runtime").rglob("*") if f.is_file())
            print(f"{kind}: {size / 1e6:.1f} MB", flush=True)
            for name, taken in least.items():
                print(f"  {name:16}{taken:8.3f} s {taken / least['compiled here']:6.2f} x compiled here   {last.get(name, '')}")
    finally:
        process.terminate()
        process.wait()
        place.cleanup()


main()
sys.stdout.flush()
os._exit(0)  # do not wait for the threads of the links, which may still be delivering
