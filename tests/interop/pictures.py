"""Compares how assetc and other programs read pictures and textures: PSD, TIFF, AVIF, DDS and KTX 1.

    python3 tests/interop/pictures.py build/release/assetc

ImageMagick writes pictures and reads them again; assetc must read the same texels, which it writes as a PNG. astcenc
writes KTX 1 and DDS. OpenImageIO reads a DDS of BC7 that is made here from a texture of assetc's. Exits 77 (skipped) if
one of the programs is not installed.
"""
import json
import os
import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile

NEEDED = ("convert", "oiiotool", "astcenc")
SIDE = 37


def run(*words, **more):
    done = subprocess.run([str(w) for w in words], capture_output=True, **more)
    if done.returncode != 0:
        raise SystemExit(f"pictures.py: {' '.join(str(w) for w in words)}: {done.stdout.decode()}{done.stderr.decode()}")
    return done.stdout


class Check:
    def __init__(self, assetc, folder):
        self.assetc, self.folder, self.done = assetc, folder, 0

    def texels(self, path, bits=8):
        """RGBA of a picture as read by ImageMagick; of a layered picture, the merged image."""
        out = run("convert", f"{path}[0]", "-colorspace", "sRGB", "-depth", bits, f"{'rgba' if bits == 8 else 'RGBA'}:-",
                  cwd=self.folder)
        return struct.unpack(f"<{len(out) // (bits // 8)}{'B' if bits == 8 else 'H'}", out)

    def same(self, name, of, bits=8, within=0):
        run(self.assetc, "convert", name, name + ".out.png", cwd=self.folder)
        ours, theirs = self.texels(name + ".out.png", bits), self.texels(of, bits)
        if len(ours) != len(theirs):
            raise SystemExit(f"pictures.py: {name}: {len(ours)} values, {of} has {len(theirs)}")
        far = max(abs(a - b) for a, b in zip(ours, theirs))
        if far > within:
            raise SystemExit(f"pictures.py: {name} differs from {of} by {far}, at most {within} is allowed")
        self.done += 1


def make_source(path):
    """A picture with edges, gradients, noise and every alpha."""
    source = random.Random(5)
    rows = bytearray()
    for y in range(SIDE):
        for x in range(SIDE):
            rows += bytes((x * 6 % 256, y * 6 % 256, source.randrange(256), min(255, (x + y) * 4)))
    run("convert", "-size", f"{SIDE}x{SIDE}", "-depth", "8", "rgba:-", path, input=bytes(rows))


def dds_of_ktx2(ktx2, dxgi):
    """The first level of an uncompressed KTX 2 file, as a DDS of Direct3D 10."""
    width, height = struct.unpack_from("<2I", ktx2, 20)
    offset, size = struct.unpack_from("<2Q", ktx2, 80)
    header = struct.pack("<7I44x", 124, 0x1007, height, width, size, 0, 1)
    header += struct.pack("<8I", 32, 4, int.from_bytes(b"DX10", "little"), 0, 0, 0, 0, 0) + struct.pack("<5I", 0x1000, 0, 0, 0, 0)
    return b"DDS " + header + struct.pack("<5I", dxgi, 3, 0, 1, 0) + ktx2[offset:offset + size]


def main():
    missing = [program for program in NEEDED if shutil.which(program) is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed")
        sys.exit(77)
    assetc = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check = Check(assetc, folder)
        make_source(folder / "a.png")
        run("convert", "a.png", "-alpha", "off", "opaque.png", cwd=folder)

        # Photoshop documents: ImageMagick writes the layers and then the merged image.
        for file, words, bits in (("rgb.psd", [], 8), ("deep.psd", ["-depth", "16"], 16), ("gray.psd", ["-colorspace", "Gray"], 8),
                                  ("packed.psd", ["-compress", "RLE"], 8), ("large.psb", [], 8)):
            run("convert", "opaque.png", *words, file, cwd=folder)
            check.same(file, file, bits)
        # TIFF of every layout; alpha keeps the meaning that the file states.
        for file, words, bits in (("a.tif", [], 8), ("lzw.tiff", ["-compress", "LZW"], 8), ("zip.tif", ["-compress", "Zip"], 8),
                                  ("deep.tif", ["-depth", "16"], 16), ("big.tif", ["-endian", "MSB"], 8),
                                  ("tiles.tif", ["-define", "tiff:tile-geometry=16x16"], 8)):
            run("convert", "a.png", *words, file, cwd=folder)
            check.same(file, "a.png", bits)
        run("convert", "opaque.png", "-colors", "40", "-type", "Palette", "palette.tif", cwd=folder)
        check.same("palette.tif", "palette.tif")
        run("convert", "opaque.png", "-colorspace", "Gray", "gray.tif", cwd=folder)
        check.same("gray.tif", "gray.tif")
        # AVIF: both read the same file, but upsample its half-size chroma differently.
        run("convert", "opaque.png", "-quality", "80", "a.avif", cwd=folder)
        check.same("a.avif", "a.avif", within=12)
        # DDS: BC1 and BC3 of ImageMagick, uncompressed ones of ImageMagick and astcenc, BC7 of ours.
        for file, words in (("bc1.dds", ["-define", "dds:compression=dxt1"]), ("bc3.dds", ["-define", "dds:compression=dxt5"]),
                            ("plain.dds", ["-define", "dds:compression=none"])):
            run("convert", "a.png", "-define", "dds:mipmaps=0", *words, file, cwd=folder)
            check.same(file, file, within=0 if file == "plain.dds" else 1)
        (folder / "assets").mkdir()
        shutil.copy(folder / "opaque.png", folder / "assets/opaque.png")
        (folder / "assetc.yml").write_text("default: {texture: {format: bc7, zstd: 0, mips: false}}\n")
        run(assetc, "-q", cwd=folder, env=os.environ | {"ASSETC_CACHE": "off"})
        (folder / "bc7.dds").write_bytes(dds_of_ktx2((folder / "runtime/opaque.ktx2").read_bytes(), 98))
        run("oiiotool", "bc7.dds", "-o", "bc7.theirs.png", cwd=folder)
        check.same("bc7.dds", "bc7.theirs.png")
        # KTX 1: ASTC of astcenc, compared with astcenc's decoding of it.
        run("astcenc", "-cl", "a.png", "astc.ktx", "6x6", "-fast", cwd=folder)
        run("astcenc", "-dl", "astc.ktx", "astc.theirs.png", cwd=folder)
        check.same("astc.ktx", "astc.theirs.png", within=1)
        for file in ("decoded.ktx", "decoded.dds"):
            run("astcenc", "-dl", "astc.ktx", file, cwd=folder)
            check.same(file, "astc.theirs.png")

        # All of them as the sources of one build, which must print no warnings.
        for file in ("rgb.psd", "a.tif", "a.avif", "bc7.dds", "astc.ktx"):
            shutil.copy(folder / file, folder / "assets" / ("source_" + file.replace(".", "_") + pathlib.Path(file).suffix))
        (folder / "assetc.yml").write_text("default: {texture: {format: auto}}\n")
        run(assetc, "--strict", "-q", cwd=folder, env=os.environ | {"ASSETC_CACHE": "off"})
        made = {path.name for path in (folder / "runtime").glob("source_*.ktx2")}
        if len(made) != 5:
            raise SystemExit(f"pictures.py: a build of 5 sources made {sorted(made)}")
        if (folder / "runtime/source_bc7_dds.ktx2").read_bytes()[12:16] != struct.pack("<I", 145):
            raise SystemExit("pictures.py: a build did not keep BC7 as it was")
        events = run(assetc, "--json", cwd=folder, env=os.environ | {"ASSETC_CACHE": "off"}).splitlines()
        if json.loads(events[-1])["ran"] != 0:
            raise SystemExit("pictures.py: a second build ran something")
        print(f"{check.done} pictures of other programs are read the same, and 5 of them are built")


main()
