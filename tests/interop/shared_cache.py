"""Tests the shared cache with third-party servers: nginx with WebDAV, and a server with every kind of fault.

  shared_cache.py ASSETC DEMO

The files on the server are read here using only the specifications: names are SHA-256 of contents (RFC 6234), entries
are ActionResults (Bazel's Remote Execution API, Protocol Buffers' encoding). Exit code 77: nginx or openssl is missing.
"""
import gzip
import hashlib
import http.server
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

assetc, demo = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin:/sbin")
if not nginx or not shutil.which("openssl"):
    print("skipped: nginx or openssl is not installed")
    sys.exit(77)
base = pathlib.Path(tempfile.mkdtemp(prefix="assetc-shared-"))
TOKEN = "a-token-that-nobody-may-see"
output_of_all = []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)


def make_certificates(root):
    def openssl(*arguments):
        subprocess.run(["openssl", *arguments], cwd=root, check=True, capture_output=True)

    openssl("req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2", "-subj", "/CN=authority")
    (root / "names").write_text("subjectAltName=DNS:localhost")
    for name, days in ("server", "2"), ("client", "2"), ("expired", "-1"):
        openssl("req", "-newkey", "ed25519", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-days", days, "-out", f"{name}.pem",
                "-extfile", "names")


def start_nginx():
    root = base / "nginx"
    (root / "store").mkdir(parents=True)
    os.chmod(base, 0o755)
    port, secure, expired = free_port(), free_port(), free_port()
    make_certificates(root)
    (root / "nginx.conf").write_text(f"""
daemon off; worker_processes 1; pid {root}/pid; error_log {root}/error.log;
events {{ worker_connections 256; }}
http {{
  access_log {root}/access.log;
  client_body_temp_path {root}/body; proxy_temp_path {root}/proxy; fastcgi_temp_path {root}/fastcgi;
  uwsgi_temp_path {root}/uwsgi; scgi_temp_path {root}/scgi;
  client_max_body_size 0; keepalive_requests 100000;
  server {{
    listen 127.0.0.1:{port};
    location / {{ root {root}/store; dav_methods PUT; create_full_put_path on; }}
  }}
  server {{
    listen 127.0.0.1:{secure} ssl http2;
    ssl_certificate {root}/server.pem; ssl_certificate_key {root}/server.key;
    ssl_client_certificate {root}/ca.pem; ssl_verify_client on;
    location / {{ root {root}/store; }}
  }}
  server {{
    listen 127.0.0.1:{expired} ssl http2;
    ssl_certificate {root}/expired.pem; ssl_certificate_key {root}/expired.key;
    location / {{ root {root}/store; }}
  }}
}}
{"user root;" if os.getuid() == 0 else ""}
""")
    process = subprocess.Popen([nginx, "-c", root / "nginx.conf", "-e", root / "error.log"], stderr=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, f"http://127.0.0.1:{port}/game", f"https://localhost:{secure}/game", f"https://localhost:{expired}/game", root / "store/game"
        except OSError:
            time.sleep(0.05)
    print("skipped: nginx does not start:", (root / "error.log").read_text())
    sys.exit(77)


def build(name, url, mode="read", fresh=True, arguments=(), **environment):
    """Builds as a separate machine: another checkout, another local cache. Returns events by kind, and the report."""
    machine = base / "machines" / name
    if fresh:
        shutil.rmtree(machine, ignore_errors=True)
    if not machine.exists():
        shutil.copytree(demo, machine, ignore=shutil.ignore_patterns("runtime", "build", ".assetc-cache*", "*.hpack"))
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASSETC_")}
    env |= {"ASSETC_CACHE": str(machine / "cache"), "ASSETC_CACHE_REMOTE": url, "ASSETC_CACHE_REMOTE_MODE": mode,
            "HOME": str(machine), "XDG_CONFIG_HOME": str(machine / "config")} | environment
    done = subprocess.run([assetc, "--json", "--report", "report.json", "--trace", "trace.json", *arguments], cwd=machine, env=env, capture_output=True, text=True)
    output_of_all.append(done.stdout + done.stderr + (machine / "report.json").read_text())
    check(done.returncode == 0, f"{name}: exit {done.returncode}: {done.stdout[-2000:]} {done.stderr}")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    warnings = [e for e in events if e["event"] == "diagnostic" and e["file"].startswith("http")]
    return events[-1], warnings, json.loads((machine / "report.json").read_text())["shared_cache"], tree(machine)


def noise(width, height, seed):
    """A picture that does not compress. Source: Portable Network Graphics, third edition."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + random.Random(seed * height + y).randbytes(width * 4) for y in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
            + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b""))


def tree(machine):
    return {str(p.relative_to(machine)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted((machine / "runtime").rglob("*")) if p.is_file() and not p.name.startswith(".assetc")}


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 128:
            return value, at


def fields(data):
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        value, at = varint(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        found.append((tag >> 3, value))
    return found


def look_at_store(store):
    blobs = {p.name: p.read_bytes() for p in (store / "cas").iterdir()}
    for name, data in blobs.items():
        check(hashlib.sha256(data).hexdigest() == name, f"cas/{name} is not named by its bytes")
    named = set()
    for entry in (store / "ac").iterdir():
        result = fields(entry.read_bytes())
        products = [v for f, v in result if f == 5 and v.startswith((b"assetc shared 2\n", b"assetc batch 2\n"))]
        check(len(products) == 1, f"{entry} has no products")
        for _, file in (r for r in result if r[0] == 2):
            digest = dict(fields(dict(fields(file))[2]))
            name = digest[1].decode()
            check(len(blobs[name]) == digest[2], f"{entry} names {name} of {digest[2]} bytes")
            named.add(name)
    check(named == set(blobs), "blobs that no entry names")
    return len(blobs)


class Wrong(http.server.BaseHTTPRequestHandler):
    """A server of the store's contents with one fault."""
    protocol_version = "HTTP/1.1"
    fault, store, others, asked, put = "", None, [], 0, 0
    flips = 0

    def log_message(self, *_):
        pass

    def answer(self, status, body=b"", length=None, headers=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        Wrong.asked += 1
        path, _, query = self.path.split("/game/")[1].partition("?")
        file = self.store / path
        body = file.read_bytes() if file.exists() else None
        fault, is_blob = self.fault, "/cas/" in self.path
        if fault == "500":
            return self.answer(500)
        if fault == "page":
            return self.answer(200, b"<html>Please log in</html>", headers=[("Content-Type", "text/html; charset=utf-8")])
        if fault == "401" or (fault == "bearer" and self.headers.get("Authorization") != "Bearer " + TOKEN):
            return self.answer(401)
        if fault == "signed" and query != f"sv=1&sig={TOKEN}":
            return self.answer(403)
        if fault == "compresses":
            return self.answer(404) if body is None else self.answer(200, gzip.compress(body), headers=[("Content-Encoding", "gzip")])
        if fault == "redirects":
            return self.answer(302, headers=[("Location", self.path)])
        if body is None:
            return self.answer(404)
        if fault == "stalls":
            self.answer(200, body[:7], len(body))
            time.sleep(8)
            self.close_connection = True
        elif fault == "drips":
            self.answer(200, b"", len(body))
            try:
                for byte in body:
                    self.wfile.write(bytes([byte]))
                    time.sleep(0.05)
            except OSError:
                self.close_connection = True
        elif fault == "creeps":  # fast enough that the transfer does not time out
            self.answer(200, b"", 1 << 20)
            try:
                for _ in range(1 << 9):
                    self.wfile.write(bytes(1 << 10))
                    time.sleep(0.5)
            except OSError:
                self.close_connection = True
        elif fault == "cuts":
            self.answer(200, body[:len(body) // 2], len(body))
            self.close_connection = True
        elif fault == "wrong blobs" and is_blob:
            self.answer(200, bytes(b ^ 1 for b in body))
        elif fault == "garbage":
            self.answer(200, os.urandom(len(body)))
        elif fault == "too much":
            self.answer(200, body + b"\0" * (32 << 20))
        elif fault == "other entries" and not is_blob:
            is_batch = b"assetc batch" in body
            entries = sorted(p for p in (self.store / "ac").iterdir() if (b"assetc batch" in p.read_bytes()) == is_batch)
            self.answer(200, entries[(entries.index(file) + 1) % len(entries)].read_bytes())
        elif fault == "forgets blobs" and is_blob:
            self.answer(404)
        elif fault == "flips bits" and not is_blob:
            Wrong.flips += 1
            flipped = bytearray(body)
            bit = random.Random(Wrong.flips).randrange(8 * len(flipped))
            flipped[bit // 8] ^= 1 << bit % 8
            self.answer(200, bytes(flipped))
        else:
            self.answer(200, body)

    def do_PUT(self):
        Wrong.put += 1
        size = int(self.headers["Content-Length"])
        self.rfile.read(size)
        if self.fault == "small":
            return self.answer(413 if size > 4000 else 201)
        if self.fault == "one 503" and Wrong.put == 1:
            return self.answer(503)
        if self.fault == "thinks":
            time.sleep(2)
        if self.fault == "fails late":
            Wrong.fault = "500"
            time.sleep(1)
        self.answer({"full": 507, "401": 401, "500": 500}.get(self.fault, 201))


def serve(store):
    Wrong.store = store
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Wrong)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # clients that receive too much close the connection
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/game"


def keys(name):
    subprocess.run([assetc, "keygen", base / name], check=True, stdout=subprocess.DEVNULL)
    return {"ASSETC_CACHE_SIGN": f"{base / name}.key"}, {"ASSETC_CACHE_TRUST": f"{base / name}.pub"}


process, url, secure_url, expired_url, store = start_nginx()
try:
    signs, trusts = keys("team")
    other_signs, other_trusts = keys("stranger")
    plain, _, _, expected = build("alone", "off")
    check(plain["ran"] > 5, "the demo has steps")

    # One machine writes, others read.
    wrote, warnings, shared, files = build("writer", url, "read-write", **signs)
    check(wrote["ran"] == plain["ran"] and not warnings and files == expected, f"the writer: {wrote} {warnings}")
    check(shared["uploaded"] > 0 and shared["found"] == 0, f"the writer: {shared}")
    check(0 < shared["asked"] <= wrote["steps"], f"a step that is requested twice counts once: {shared} {wrote}")
    blobs = look_at_store(store)
    check(blobs > 3, "blobs on the server")
    before = sorted(str(p) for p in store.rglob("*"))

    def reads_all(name, at=url, **environment):
        summary, warnings, shared, files = build(name, at, ASSETC_CACHE_REMOTE_RACE="off", **environment)
        check(files == expected and not warnings, f"{name}: {warnings}")
        check(summary["ran"] == 0 and shared["found"] > 0, f"{name}: {summary} {shared}")
        check(shared["found"] <= shared["asked"] <= summary["steps"], f"{name}: {summary} {shared}")
        return summary, shared

    summary, shared = reads_all("reader", **trusts)
    check(shared["uploaded"] == 0 and before == sorted(str(p) for p in store.rglob("*")), "a reader writes nothing")
    trace = json.loads((base / "machines/reader/trace.json").read_text())["traceEvents"]
    transfers = [e for e in trace if e["cat"] == "transfer"]
    begun = [e for e in transfers if e["ph"] == "b"]
    check(len(begun) * 2 == len(transfers) == 2 * shared["requests"], f"{len(transfers)} ends of transfers in the trace")
    waits = {e["name"] for e in trace if e["cat"] == "wait"}
    check("wait for uploads" in waits, f"waits of the trace: {waits}")
    known = {"wait for memory", "wait for the shared cache", "wait for steps", "wait for uploads"}
    check(waits <= known, f"waits of the trace: {waits}")
    check(sum(e["args"]["bytes"] for e in begun) == shared["received_bytes"], "bytes of the trace")
    again, _, shared, _ = build("writer", url, "read-write", fresh=False, **signs)
    check(again["ran"] == again["restored"] == 0 and shared == {}, f"a no-op build sends no requests: {again} {shared}")

    # Small products travel together; the signature of each decides whether it is trusted.
    many = base / "machines/small"
    (many / "assets").mkdir(parents=True)
    for i in range(600):
        (many / f"assets/mesh_{i:03}.obj").write_text("".join(f"v {(i * k) % 7} {k % 3} {k % 5}\n" for k in range(9)) + "f 1 2 3\nf 4 5 6\nf 7 8 9\n")
    (many / "assetc.yml").write_text("input: assets\n")
    wrote, _, shared, files = build("small", url, "read-write", fresh=False, **signs)
    check(shared["uploaded"] >= 600 and shared["requests"] < 60 and shared["batches"] > 1, f"small products: {wrote} {shared}")
    for name, trusted, ran in ("small elsewhere", trusts, 0), ("small distrusted", other_trusts, wrote["ran"]):
        shutil.copytree(many, base / "machines" / name, ignore=shutil.ignore_patterns("runtime", "cache", ".assetc-cache*"))
        summary, warnings, shared, there = build(name, url, fresh=False, ASSETC_CACHE_REMOTE_RACE="off", **trusted)
        check(there == files and summary["ran"] == ran, f"{name}: {summary}")
        check(len(warnings) == (ran > 0) and (ran > 0 or shared["requests"] < 60), f"{name}: {warnings} {shared}")
    # One more source and one changed source: both are added to the existing products.
    (many / "assets/mesh_600.obj").write_text((many / "assets/mesh_001.obj").read_text() + "f 1 5 9\n")
    with open(many / "assets/mesh_002.obj", "a") as mesh:
        mesh.write("f 1 4 8\n")
    _, _, shared, files = build("small", url, "read-write", fresh=False, **signs)
    check(shared["uploaded"] == 2, f"two more: {shared}")
    shutil.copytree(many, base / "machines/small later", ignore=shutil.ignore_patterns("runtime", "cache", ".assetc-cache*"))
    summary, warnings, shared, there = build("small later", url, fresh=False, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    check(there == files and summary["ran"] == 0 and not warnings, f"small later: {summary} {warnings}")
    print(f"{summary['restored']} small products in {shared['batches']} batches, {shared['requests']} requests")

    # Two trees with the same model but another file that it reads: each finds its own products.
    for version in "one", "two", "two elsewhere":
        shutil.copytree(many, base / "machines" / version, ignore=shutil.ignore_patterns("*.obj", "runtime", "cache", ".assetc-cache*"))
        triangle = {"one": [0, 0, 0, 1, 0, 0, 0, 1, 0]}.get(version, [0, 0, 0, 2, 0, 0, 0, 2, 0])
        (base / "machines" / version / "assets/model.bin").write_bytes(struct.pack("<9f", *triangle))
        (base / "machines" / version / "assets/model.gltf").write_text(json.dumps({
            "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
            "buffers": [{"uri": "model.bin", "byteLength": 36}], "bufferViews": [{"buffer": 0, "byteLength": 36}],
            "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3", "min": [0, 0, 0], "max": [2, 2, 0]}]}))
        summary, warnings, shared, _ = build(version, url, "read-write", fresh=False, ASSETC_CACHE_REMOTE_RACE="off", **signs)
        check(not warnings and (shared["uploaded"] > 0) == (summary["ran"] > 0) == ("elsewhere" not in version), f"{version}: {summary} {shared}")

    # Blobs that the server has lost are uploaded again.
    lost = next(p for p in (store / "cas").iterdir())
    lost.unlink()
    # Without the race, in which a step that compiles first never asks for its blob.
    healed, warnings, shared, files = build("heals", url, "read-write", ASSETC_CACHE_REMOTE_RACE="off", **signs)
    check(files == expected and lost.exists(), f"a lost blob: {healed} {shared} {warnings}")
    reads_all("reads what was lost", **trusts)

    # A batch holds 8 MiB; further products travel alone.
    machine = base / "machines/full batches"
    (machine / "assets").mkdir(parents=True)
    for i in range(255):
        (machine / f"assets/static_{i:03}.png").write_bytes(noise(161, 100, i))  # 143 of them in one batch
    (machine / "assetc.yml").write_text("input: assets\ndefault: {texture: {format: rgba8, mips: false}}\n")
    alone = len(list((store / "cas").iterdir()))
    wrote, _, shared, files = build("full batches", url, "read-write", fresh=False, **signs)
    alone = len(list((store / "cas").iterdir())) - alone
    largest = max(p.stat().st_size for p in (store / "ac").iterdir())
    check(shared["uploaded"] == 255 and 0 < alone < 64 and largest < (8 << 20) + 65536, f"{shared}, {alone} alone, the largest has {largest} bytes")
    shutil.copytree(machine, base / "machines/full batches elsewhere", ignore=shutil.ignore_patterns("runtime", "cache", ".assetc-cache*"))
    summary, warnings, shared, there = build("full batches elsewhere", url, fresh=False, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    check(there == files and summary["ran"] == 0 and not warnings, f"full batches elsewhere: {summary} {warnings}")

    # A signature of a key that is not trusted.
    summary, warnings, shared, files = build("distrusts", url, **other_trusts)
    check(summary["ran"] == plain["ran"] and files == expected, f"distrusts: {summary}")
    check(len(warnings) == 1 and "without a valid signature by a key of cache.trust" in warnings[0]["what"], f"distrusts: {warnings}")
    # A second writer with another key adds its entries, and readers of each key trust their own.
    build("second writer", url, "read-write", **other_signs, **other_trusts)
    for name, whom in ("first", trusts), ("second", other_trusts):
        reads_all(f"reader of the {name}", **whom)

    # Servers with faults: the tree is correct, and there is one warning.
    wrong = serve(store)
    for i in range(6):  # without trust every signature is accepted, but damaged data is not
        Wrong.fault = "flips bits"
        _, _, _, files = build(f"with a disk that flips bits {i}", wrong, ASSETC_CACHE_REMOTE_RACE="off")
        check(files == expected, "flips bits: other files")
    for fault in ("500", "401", "stalls", "drips", "cuts", "wrong blobs", "garbage", "too much", "other entries", "forgets blobs", "redirects"):
        Wrong.fault, Wrong.asked = fault, 0
        # With the race, a build may end before the server has answered; then it has all files and no warning.
        summary, warnings, shared, files = build(f"with a server that {fault}", wrong, **trusts)
        check(files == expected, f"{fault}: other files")
        check(Wrong.asked > 0, f"{fault}: no request was sent")
        check(len(warnings) <= 1, f"{fault}: {warnings}")
        if fault not in ("forgets blobs", "stalls", "drips"):  # waiting for these takes long
            Wrong.asked = 0
            summary, warnings, shared, files = build(
                f"waiting for a server that {fault}", wrong, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
            check(files == expected, f"{fault}, waiting: other files")
            check(Wrong.asked > 0, f"{fault}, waiting: no request was sent")
            check(len(warnings) == 1, f"{fault}, waiting: {warnings}")
        else:
            print(f"  (took {summary['seconds']:.2f} s, alone {plain['seconds']:.2f} s)")
        print(f"{fault}: {summary['restored']} of {plain['ran']} restored; {warnings[0]['what'] if warnings else 'no warning'}")
    # One event reports the failures of the shared cache.
    Wrong.fault = "500"
    build("counts failures", wrong, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    health = [json.loads(line)["shared_cache"] for line in output_of_all[-1].splitlines() if line.startswith('{"event":"shared_cache"')]
    check(len(health) == 1 and health[0]["failures"] >= 3 and health[0]["given_up"] and health[0]["found"] == 0, f"health: {health}")
    Wrong.fault = "creeps"
    _, warnings, _, files = build("waiting for a server that creeps", wrong, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    check(files == expected and len(warnings) == 1 and "too slow" in warnings[0]["what"], f"creeps: {warnings}")
    Wrong.store = base / "nothing"
    for fault in "full", "401", "500":
        Wrong.fault, Wrong.put = fault, 0
        _, warnings, shared, files = build(f"writing to one that is {fault}", wrong, "read-write", **signs)
        check(files == expected and len(warnings) == 1 and shared["uploaded"] == 0, f"{fault}: {warnings} {shared}")
        check(fault == "500" or Wrong.put <= 48, f"{fault}: sent {Wrong.put} bodies")
        print(f"{fault}: {warnings[0]['what']}")
    # One body that is too large does not end the others, and a shard has done its work.
    Wrong.fault, Wrong.put = "small", 0
    _, warnings, shared, files = build("writing to one with a limit", wrong, "read-write", arguments=("--shard", "1/1"), **signs)
    check(len(warnings) == 1 and shared["uploaded"] > 0, f"small: {warnings} {shared}")
    check("413" in warnings[0]["what"] and "client_max_body_size" in warnings[0]["hint"], f"small: {warnings}")
    Wrong.fault = "page"
    _, warnings, shared, files = build("a login page", wrong, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    check(files == expected and len(warnings) == 1 and "web page" in warnings[0]["what"] and "NO_PROXY" in warnings[0]["hint"],
          f"page: {warnings}")
    Wrong.store = store
    Wrong.fault = "compresses"
    reads_all("behind a proxy that compresses", wrong, **trusts)
    Wrong.fault = "signed"
    reads_all("with a signature in the URL", f"{wrong}/?sv=1&sig={TOKEN}", **trusts)
    Wrong.store = base / "nothing"
    for name, at in ("absent", f"http://127.0.0.1:{free_port()}/game"), ("no TLS", wrong.replace("http:", "https:")):
        # Without the race: a build that compiles faster than a connection is refused reports nothing.
        _, warnings, _, files = build(name, at, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
        check(files == expected and len(warnings) == 1, f"{name}: {warnings}")
        print(f"{name}: {warnings[0]['what']}")

    # Large products, and a server that fails while some of them are queued: the queued uploads are dropped.
    machine = base / "machines/large"
    (machine / "assets").mkdir(parents=True)
    for i in range(4):
        (machine / f"assets/noise_{i}.png").write_bytes(noise(4096, 2048, i))
    (machine / "assetc.yml").write_text("input: assets\ndefault: {texture: {format: rgba8, mips: false}}\n")
    Wrong.fault = "fails late"
    _, warnings, shared, _ = build("large", wrong, "read-write", fresh=False, **signs)
    check(len(warnings) == 1 and shared["uploaded"] == 0, f"large products: {warnings} {shared}")
    shutil.rmtree(machine)
    # A request that succeeds on retry is not a failure, for shards too.
    Wrong.fault, Wrong.put = "one 503", 0
    _, warnings, shared, _ = build("one 503", wrong, "read-write", arguments=("--shard", "1/1"), **signs)
    check(not warnings and shared["uploaded"] > 0, f"one 503: {warnings} {shared}")
    # The command reports that it waits for uploads.
    Wrong.fault = "thinks"
    build("slow to keep", wrong, "read-write", **signs)
    told = [json.loads(line) for line in output_of_all[-1].splitlines() if line.startswith('{"event":"uploading"')]
    check(told and all(t["left"] > 0 for t in told), "no event reports uploads")

    # Authentication.
    Wrong.store = store
    Wrong.fault = "bearer"
    reads_all("with a token", wrong, ASSETC_CACHE_BEARER=TOKEN, **trusts)
    check(not any(TOKEN in text for text in output_of_all), "a token was printed")

    # TLS and HTTP/2, with certificates from the user's configuration.
    root = base / "nginx"
    machine = base / "machines/over TLS"
    shutil.copytree(demo, machine, ignore=shutil.ignore_patterns("runtime", "build", ".assetc-cache*"))
    (machine / "config/assetc").mkdir(parents=True)
    user = machine / "config/assetc/config.yml"
    user.write_text(f"cache: {{remote: {{url: {secure_url}, race: off, certificate: {root}/client.pem, "
                    f"certificate_key: {root}/client.key, authorities: {root}/ca.pem}}, trust: {base}/team.pub}}")
    summary, warnings, shared, files = build("over TLS", "", fresh=False, ASSETC_CACHE_REMOTE_MODE="")
    check(files == expected and not warnings and summary["ran"] == 0, f"over TLS: {summary} {warnings}")
    check("HTTP/2.0" in (root / "access.log").read_text(), "HTTP/2 was not used")
    # The authority from SSL_CERT_FILE, and none: its certificate is not trusted.
    for authority in f"{root}/ca.pem", "":
        shutil.rmtree(machine / "cache")
        shutil.rmtree(machine / "runtime")
        user.write_text(f"cache: {{remote: {{url: {secure_url}, race: off, certificate: {root}/client.pem, "
                        f"certificate_key: {root}/client.key}}, trust: {base}/team.pub}}")
        summary, warnings, shared, files = build("over TLS", "", fresh=False, ASSETC_CACHE_REMOTE_MODE="", SSL_CERT_FILE=authority)
        check(files == expected, "over TLS: other files")
        check(not warnings and summary["ran"] == 0 if authority else "SSL_CERT_FILE" in warnings[0]["hint"], f"authority: {warnings}")
    # A certificate that has expired.
    _, warnings, shared, files = build("an expired certificate", expired_url, "read-write", SSL_CERT_FILE=f"{root}/ca.pem",
                                       ASSETC_CACHE_REMOTE_RACE="off", **signs)
    check(files == expected and shared["uploaded"] == 0 and len(warnings) == 1, f"expired: {warnings}")
    check("certificate has expired" in warnings[0]["what"] and "renew the certificate of the server" in warnings[0]["hint"],
          f"expired: {warnings}")

    user.write_text(f"cache: {{remote: {{url: {secure_url}, authorities: {root}/ca.pem}}}}")
    shutil.rmtree(machine / "cache")
    shutil.rmtree(machine / "runtime")
    summary, warnings, shared, files = build("over TLS", "", fresh=False, ASSETC_CACHE_REMOTE_MODE="")
    check(files == expected and shared["found"] == 0, f"without a certificate: {summary}")

    # A build that is killed while it downloads, and then another build.
    Wrong.fault = "drips"
    machine = base / "machines/killed"
    shutil.copytree(demo, machine, ignore=shutil.ignore_patterns("runtime", "build", ".assetc-cache*"))
    env = {k: v for k, v in os.environ.items() if not k.startswith("ASSETC_")}
    env |= {"ASSETC_CACHE": str(machine / "cache"), "ASSETC_CACHE_REMOTE": wrong, "HOME": str(machine)} | trusts
    running = subprocess.Popen([assetc], cwd=machine, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.3)
    running.send_signal(signal.SIGKILL)
    running.wait()
    Wrong.fault = ""
    _, warnings, _, files = build("killed", wrong, fresh=False, **trusts)
    check(files == expected and not warnings, f"killed: {warnings}")

    # Builds upload while they run: if one is killed, the next one finds what it had compiled.
    machine = base / "machines/killed writer"
    (machine / "assets").mkdir(parents=True)
    for i in range(40):
        (machine / f"assets/noise_{i:02}.png").write_bytes(noise(512, 512, i))
    (machine / "assetc.yml").write_text("input: assets\ndefault: {texture: {format: bc7, effort: best}}\n")
    shutil.copytree(machine, base / "machines/its successor")
    env |= {"ASSETC_CACHE": str(machine / "cache"), "ASSETC_CACHE_REMOTE": url.replace("/game", "/killed"), "HOME": str(machine),
            "ASSETC_CACHE_REMOTE_MODE": "read-write"} | signs
    running = subprocess.Popen([assetc, "--jobs", "1"], cwd=machine, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    kept = store.parent / "killed/ac"
    while running.poll() is None and not (kept.exists() and len(list(kept.iterdir())) > 1):
        time.sleep(0.01)
    check(running.poll() is None, "the writer ended before it uploaded")
    running.send_signal(signal.SIGKILL)
    running.wait()
    summary, warnings, shared, files = build("its successor", url.replace("/game", "/killed"), fresh=False, ASSETC_CACHE_REMOTE_RACE="off", **trusts)
    check(shared["found"] > 0 and summary["restored"] > 0 and summary["ran"] + summary["restored"] == 40 and not warnings,
          f"its successor: {summary} {shared} {warnings}")
    print(f"a killed writer: {summary['restored']} of 40 products on the server")
finally:
    process.terminate()
    process.wait()
shutil.rmtree(base)
print(f"{plain['ran']} steps, {blobs} blobs: shared, and correct with every fault of the server")
