"""A reader of .pak bundles and patches, written using only docs/formats/pak.md, tested on files that assetc writes.

    python3 pak.py ASSETC

Compares every content with its source file. The zstd program inflates, openssl verifies signatures, Python hashes;
XChaCha20-Poly1305 is implemented below. Exits with 77 if zstd or openssl is not installed.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid

HEADER, FOOTER, ENTRY, BLOCK = 160, 160, 64, 56
SIGNED, ENCRYPTED, DICTIONARY, LAID_OUT = 1, 2, 4, 8


def require(holds, what):
    if not holds:
        raise SystemExit("pak.py: " + what)


def align(n):
    return (n + 15) // 16 * 16


# ---- XChaCha20-Poly1305: RFC 8439 and draft-irtf-cfrg-xchacha ----

def quarter(s, a, b, c, d):
    for x, y, z, n in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        s[x] = (s[x] + s[y]) & 0xffffffff
        v = s[z] ^ s[x]
        s[z] = ((v << n) | (v >> (32 - n))) & 0xffffffff


def rounds(state):
    s = list(state)
    for _ in range(10):
        for q in ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
                  (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14)):
            quarter(s, *q)
    return s


CONSTANTS = struct.unpack("<4I", b"expand 32-byte k")


def chacha20(key, counter, nonce12, data):
    out = bytearray()
    for i in range(0, len(data), 64):
        state = [*CONSTANTS, *struct.unpack("<8I", key), counter + i // 64, *struct.unpack("<3I", nonce12)]
        stream = struct.pack("<16I", *((a + b) & 0xffffffff for a, b in zip(rounds(state), state)))
        out += bytes(a ^ b for a, b in zip(data[i:i + 64], stream))
    return bytes(out)


def poly1305(key, message):
    r = int.from_bytes(key[:16], "little") & 0x0ffffffc0ffffffc0ffffffc0fffffff
    total = 0
    for i in range(0, len(message), 16):
        total = (total + int.from_bytes(message[i:i + 16] + b"\1", "little")) * r % ((1 << 130) - 5)
    return ((total + int.from_bytes(key[16:], "little")) % (1 << 128)).to_bytes(16, "little")


def open_sealed(key, associated, sealed):
    nonce, body, tag = sealed[:24], sealed[24:-16], sealed[-16:]
    mixed = rounds([*CONSTANTS, *struct.unpack("<8I", key), *struct.unpack("<4I", nonce[:16])])
    subkey = struct.pack("<8I", *mixed[:4], *mixed[12:])
    nonce12 = b"\0\0\0\0" + nonce[16:]
    pad = lambda b: b + bytes(-len(b) % 16)
    message = pad(associated) + pad(body) + struct.pack("<QQ", len(associated), len(body))
    require(hmac.compare_digest(poly1305(chacha20(subkey, 0, nonce12, bytes(32)), message), tag), "a tag does not fit")
    return chacha20(subkey, 1, nonce12, body)


def derive(secret, number):
    return hashlib.blake2b(b"", digest_size=32, key=secret, salt=struct.pack("<Q", number) + bytes(8),
                           person=b"assetpak" + bytes(8)).digest()


# ---- Zstd ----

def inflate(frame, folder, dictionary=None):
    command = ["zstd", "-dcq"]
    if dictionary is not None:
        (folder / "dictionary").write_bytes(dictionary)
        command += ["-D", str(folder / "dictionary")]
    return subprocess.run(command, input=frame, stdout=subprocess.PIPE, check=True).stdout


# ---- the format ----

class Bundle:
    """A file with its header, index and footer, all checked; block(i) returns the stored bytes of a block."""

    def __init__(self, header, tail, stored, secret=None):
        (magic, version, self.flags, zero, self.version, self.key_id, self.signer, self.platform,
         self.name) = struct.unpack("<4sIIIQ8s32s32s64s", header)
        require(magic == b"APAK" and version == 1 and zero == 0 and self.flags < 16, "the header is wrong")
        self.footer = tail[-FOOTER:]
        magic, entries, blocks, refs, index_at, zero, index_hash, self.mac, self.signature = struct.unpack(
            "<4sIIIQQ32s32s64s", self.footer)
        require(magic == b"APKF" and zero == 0, "the footer is wrong")
        self.header, self.index = header, tail[:-FOOTER]
        require(hashlib.sha256(self.index).digest() == index_hash, "the index is not that of its hash")
        require(len(self.index) == align(entries * ENTRY + blocks * BLOCK + refs * 4), "the index has another size")
        self.entries = [struct.unpack_from("<16s32sQII", self.index, i * ENTRY) for i in range(entries)]
        self.blocks = [struct.unpack_from("<QIIII32s", self.index, entries * ENTRY + i * BLOCK) for i in range(blocks)]
        self.refs = struct.unpack_from(f"<{refs}I", self.index, entries * ENTRY + blocks * BLOCK)
        require([e[0] for e in self.entries] == sorted({e[0] for e in self.entries}), "UUIDs do not ascend")
        end, owners = HEADER, {}
        for number, entry in enumerate(self.entries):
            for ref in self.refs[entry[3]:entry[3] + entry[4]]:
                owners.setdefault(ref, number)
        for number, (offset, size, stored_size, codec, owner, _) in enumerate(self.blocks):
            require(offset == align(end), "a block lies elsewhere")
            require(owner == owners.get(number, 0), "a block has another owner")
            end = offset + stored_size
        require(index_at == align(end), "the index lies elsewhere")
        self.stored, self.secret = stored, secret
        if self.flags & ENCRYPTED:
            require(derive(secret, 5)[:8] == self.key_id, "the key has another id")
            require(hmac.digest(derive(secret, 4), header + self.footer[:64], "sha256") == self.mac, "the MAC is wrong")
        else:
            require(hashlib.sha256(header + self.footer[:64]).digest() == self.mac, "the hash of the header is wrong")

    def block(self, number, folder, dictionary):
        _, size, stored_size, codec, owner, expected = self.blocks[number]
        data = self.stored(number)
        require(len(data) == stored_size and hashlib.sha256(data).digest() == expected, "a block is not that of its hash")
        if self.flags & ENCRYPTED:
            is_dictionary = number == 0 and self.flags & DICTIONARY
            who = bytes(16) if is_dictionary else self.entries[owner][0]
            data = open_sealed(derive(self.secret, 1), b"assetc.pak.block" + self.platform + self.name + who, data)
        if codec:
            data = inflate(data, folder, dictionary if codec == 2 else None)
        require(len(data) == size, "a block has another size")
        return data

    def contents(self, folder):
        dictionary = self.block(0, folder, None) if self.flags & DICTIONARY else None
        out = {}
        for uuid_bytes, digest, size, first, count in self.entries:
            content = b"".join(self.block(ref, folder, dictionary) for ref in self.refs[first:first + count])
            found = (hmac.digest(derive(self.secret, 3), content, "sha256") if self.flags & ENCRYPTED
                     else hashlib.sha256(content).digest())
            require(len(content) == size and found == digest, "a content is not that of its hash")
            out[str(uuid.UUID(bytes=uuid_bytes))] = content
        return out

    def check_signature(self, public_key, folder):
        (folder / "message").write_bytes(b"assetc.pak.sign1" + self.header + self.footer[:96])
        (folder / "signature").write_bytes(self.signature)
        done = subprocess.run(["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", public_key, "-rawin", "-in",
                               folder / "message", "-sigfile", folder / "signature"], stdout=subprocess.DEVNULL)
        require(done.returncode == 0, "openssl does not take the signature")


def read_bundle(path, secret=None):
    file = path.read_bytes()
    index_at, = struct.unpack_from("<Q", file, len(file) - FOOTER + 16)
    bundle = Bundle(file[:HEADER], file[index_at:], lambda i: file[bundle.blocks[i][0]:][:bundle.blocks[i][2]], secret)
    covered = bytearray(file[:index_at])
    for offset, _, stored_size, *_ in bundle.blocks:
        covered[offset:offset + stored_size] = bytes(stored_size)
    require(not any(covered[HEADER:]), "padding is not zero")
    return bundle


def recipe_of(bundle):
    rows = [struct.pack("<16s32sQI", e[0], e[1], e[2], e[4]) for e in bundle.entries]
    rows += [struct.pack("<32sIIB", b[5], b[1], b[2], b[3]) for b in bundle.blocks]
    following = 1 if bundle.flags & DICTIONARY else 0
    for ref in bundle.refs:
        rows.append(struct.pack("<I", (following - ref) & 0xffffffff))
        following = ref + 1 if bundle.flags & LAID_OUT else following + (ref == following)
    return b"".join(rows)


def read_patch(path, old_path, folder):
    """Applies the patch to the old bundle."""
    file, old = path.read_bytes(), read_bundle(old_path)
    (magic, version, old_version, old_size, size, stored_size, zero, old_id, recipe_hash, header, footer,
     head_hash) = struct.unpack_from("<4sIQQQQQ32s32s160s160s32s", file)
    require(magic == b"APKP" and version == 1 and zero == 0, "the head of the patch is wrong")
    require(hashlib.sha256(file[:432]).digest() == head_hash, "the head is not that of its hash")
    require(hashlib.sha256(old.header + old.footer).digest() == old_id, "the patch is of another bundle")
    require((old_version, old_size) == (old.version, old_path.stat().st_size), "the patch names another old bundle")
    frame = file[464:464 + stored_size]
    require(hashlib.sha256(frame).digest() == recipe_hash, "the recipe is not that of its hash")
    (folder / "before").write_bytes(recipe_of(old))
    recipe = subprocess.run(["zstd", "-dcq", "--long=30", "--patch-from", folder / "before"], input=frame,
                            stdout=subprocess.PIPE, check=True).stdout
    require(len(recipe) == size, "the recipe has another size")
    entries, blocks, refs = struct.unpack_from("<III", footer, 4)
    flags, = struct.unpack_from("<I", header, 8)
    at, index, first, following, owners = 0, [], 0, 1 if flags & DICTIONARY else 0, {}
    counts = []
    for _ in range(entries):
        who, digest, content_size, count = struct.unpack_from("<16s32sQI", recipe, at)
        index.append(struct.pack("<16s32sQII", who, digest, content_size, first, count))
        counts.append(count)
        first, at = first + count, at + 60
    rows, at_refs, numbers = [], at + blocks * 41, []
    for number, count in enumerate(counts):
        for _ in range(count):
            back, = struct.unpack_from("<I", recipe, at_refs)
            at_refs += 4
            numbers.append((following - back) & 0xffffffff)
            owners.setdefault(numbers[-1], number)
            if flags & LAID_OUT:
                following = numbers[-1] + 1
            elif back == 0:
                following += 1
    end = HEADER
    for number in range(blocks):
        stored_hash, content_size, block_size, codec = struct.unpack_from("<32sIIB", recipe, at)
        at += 41
        rows.append((stored_hash, block_size))
        index.append(struct.pack("<QIIII32s", align(end), content_size, block_size, codec, owners.get(number, 0), stored_hash))
        end = align(end) + block_size
    tail = b"".join(index) + struct.pack(f"<{refs}I", *numbers)
    known = {(b[5], b[2]): i for i, b in enumerate(old.blocks)}
    places, end = [], align(464 + stored_size)
    for row in rows:
        if row in known:
            places.append(old.stored(known[row]))
        else:
            places.append(file[align(end):align(end) + row[1]])
            end = align(end) + row[1]
    require(end == len(file), "the patch has extra bytes")
    return Bundle(header, tail + bytes(-len(tail) % 16) + footer, lambda i: places[i])


# ---- the tests ----

def raw(content):
    """The AAS1 blob of a Raw asset: a header, its description, and the content."""
    description = struct.pack("<4sIII", b"BYTE", 0, len(content), 0)
    return struct.pack("<4sHBBII", b"AAS1", 1, 23, 0, len(description), len(content)) + description + content


def make_cooked(folder, edited):
    folder.joinpath("Assets").mkdir(parents=True)
    folder.joinpath("Registry").mkdir()
    assets, payloads, contents = [], [], {}
    for number in range(130):
        who = str(uuid.uuid5(uuid.NAMESPACE_URL, str(number)))
        source = random.Random(number)
        if number < 120:
            content = json.dumps({"shading": "metallic-roughness", "roughness": number, "alpha_mode": "opaque", "id": who,
                                  "textures": {"base_color": None, "normal": None, "occlusion": None, "emissive": None},
                                  "double_sided": False, "color": [1, 1, 1, 1], "alpha_cutoff": 0.5}).encode()
        elif number < 126:
            content = bytes(source.choice(b"position normal\0\0") for _ in range(3000))
        elif number == 129:
            content = b""
        else:
            content = bytes(source.choice(b"texel\0\0\0") for _ in range(400_000 if number == 126 else 5000))
        if edited and number in (3, 126):
            content = content[:200] + b"edited" + content[200:]
        if number == 128:
            content = payloads[127]
        payloads.append(content)
        contents[who] = raw(content)
        folder.joinpath("Assets", who + ".bin").write_bytes(contents[who])
        assets.append({"Uuid": who, "Type": "Raw", "VirtualPath": f"Engine/Raw/Asset_{number}",
                       "CookedPath": f"Assets/{who}.bin", "Dependencies": [], "Desc": {}})
    folder.joinpath("Registry/AssetRegistry.json").write_text(
        json.dumps({"SchemaVersion": 1, "Assets": assets, "Redirectors": []}))
    return contents


def main():
    if not shutil.which("zstd") or not shutil.which("openssl"):
        print("skipped: zstd or openssl is not installed")
        return 77
    assetc = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)

        def run(*arguments):
            subprocess.run([assetc, *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL)

        before, after = make_cooked(folder / "1/Win64", False), make_cooked(folder / "2/Win64", True)
        run("keygen", "studio")
        run("keygen", "--encryption", "content")
        run("bundle", "create", "base.pak", "--cooked", "1/Win64", "--sign", "studio.key")
        bundle = read_bundle(folder / "base.pak")
        require(bundle.platform.rstrip(b"\0") == b"Win64" and bundle.name.rstrip(b"\0") == b"base", "another title")
        require(bundle.flags == SIGNED | DICTIONARY, f"flags {bundle.flags}")
        require(bundle.contents(folder) == before, "contents differ")
        bundle.check_signature(folder / "studio.pub", folder)

        pem = (folder / "content.key").read_text().split("-----")[2]
        secret = base64.b64decode(pem)
        run("bundle", "create", "secret.pak", "--cooked", "1/Win64", "--encrypt", "content.key", "--sign", "studio.key")
        sealed = read_bundle(folder / "secret.pak", secret)
        require(sealed.flags == SIGNED | ENCRYPTED | DICTIONARY, f"flags {sealed.flags}")
        sealed.check_signature(folder / "studio.pub", folder)
        sealed_contents = sealed.contents(folder)
        require(sealed_contents == before, "contents of the encrypted bundle differ")

        run("bundle", "create", "next.pak", "--cooked", "2/Win64", "--sign", "studio.key", "--name", "base",
            "--bundle-version", 2, "--base", "base.pak")
        run("bundle", "diff", "base.pak", "next.pak", "-o", "patch")
        patched = read_patch(folder / "patch", folder / "base.pak", folder)
        require(patched.contents(folder) == after, "contents of the patched bundle differ")
        patched.check_signature(folder / "studio.pub", folder)
        # In the order of a game: the assets of next.txt first, from the last to the first.
        listed = json.loads((folder / "2/Win64/Registry/AssetRegistry.json").read_text())["Assets"]
        loaded = [row["Uuid"] for row in listed[100:20:-1]]
        (folder / "loads.txt").write_text("# a trace\r\n" + "\r\n".join(loaded) + "\r\nEngine/Gone\r\n")
        run("bundle", "create", "laid.pak", "--cooked", "2/Win64", "--name", "base", "--bundle-version", 3,
            "--order", "loads.txt", "--encrypt", "content.key")
        laid = read_bundle(folder / "laid.pak", secret)
        require(laid.flags == ENCRYPTED | DICTIONARY | LAID_OUT, f"flags {laid.flags}")
        require(laid.contents(folder) == after, "contents of the bundle in order differ")
        by_uuid = {str(uuid.UUID(bytes=e[0])): e for e in laid.entries}
        places = [laid.blocks[ref][0] for who in loaded
                  for ref in laid.refs[by_uuid[who][3]:by_uuid[who][3] + by_uuid[who][4]]]
        require(places == sorted(places), "the blocks do not lie in the order of the trace")
        require(places[0] == min(b[0] for b in laid.blocks[1:]), "the trace does not come first")
        run("bundle", "create", "after.pak", "--cooked", "1/Win64", "--name", "base", "--bundle-version", 4,
            "--order", "loads.txt", "--base", "next.pak")
        run("bundle", "diff", "next.pak", "after.pak", "-o", "patch2")
        require(read_patch(folder / "patch2", folder / "next.pak", folder).contents(folder) == before,
                "contents of the patched bundle in order differ")
        print(f"pak: {len(before)} contents of a signed, an encrypted and a patched bundle equal their files")
    return 0


sys.exit(main())
