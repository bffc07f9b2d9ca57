"""PNGs to UASTC in KTX 2, beside basisu on the same files: both as whole processes.

    python3 bench/texture/process.py build/release/assetc BASISU PNG...

Both read the pictures, write one .ktx2 a picture without mip levels and without supercompression, and use every core.
Other programs measure the quality of both: basisu -unpack converts the blocks to ASTC, astcenc decodes them, and
basisu -compare gives the PSNR over RGB; the mean over the pictures is printed. Runs alternate; the least of three times counts, of one where it takes more than ten seconds.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

OURS = ("fast", "normal", "best")
LEVELS = (0, 1, 2, 3)
LONG_S = 10


def measure(words, cwd):
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(words, cwd=cwd, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"ASSETC_CACHE": "off"})
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def texels(path):
    head = path.read_bytes()[16:24]
    return int.from_bytes(head[:4], "big") * int.from_bytes(head[4:], "big")


def psnr(basisu, folder, pictures, made):
    """The mean over the pictures. UASTC converts to ASTC without loss, which astcenc decodes."""
    total = 0
    for picture in pictures:
        place = folder / "unpacked"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        subprocess.run([basisu, "-unpack", "-file", made(picture)], cwd=place, check=True, stdout=subprocess.DEVNULL)
        blocks = next(place.glob("*_transcoded_ASTC_RGBA_0000.ktx"))
        subprocess.run(["astcenc", "-dl", blocks, "decoded.png"], cwd=place, check=True, stdout=subprocess.DEVNULL)
        text = subprocess.run([basisu, "-compare", "-file", picture, "-file", "decoded.png"], cwd=place, check=True,
                              capture_output=True, text=True).stdout
        total += float(re.search(r"^RGB\s+Max:.*PSNR:\s*([\d.]+)", text, re.M)[1])
    return total / len(pictures)


def main():
    assetc, basisu = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    pictures = [pathlib.Path(word).resolve() for word in sys.argv[3:]]
    megatexels = sum(map(texels, pictures)) / 1e6
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "assets").mkdir()
        for picture in pictures:
            shutil.copy(picture, folder / "assets" / picture.name)
        subjects = {}
        for quality in OURS:
            config = folder / f"{quality}.yml"
            config.write_text(f"default: {{texture: {{quality: {quality}, format: uastc, mips: false, zstd: 0}}}}\n")
            subjects[f"assetc {quality}"] = ([assetc, "-q", "-o", f"out_{quality}"], config, folder / f"out_{quality}")
        for level in LEVELS:
            out = folder / f"peer_{level}"
            out.mkdir()
            words = [basisu, "-uastc", "-uastc_level", str(level), "-ktx2", "-ktx2_no_zstandard", "-output_path", str(out)]
            subjects[f"basisu level {level}"] = (words + [str(p) for p in pictures], None, out)
        least = {}
        for turn in range(3):
            for name, (words, config, out) in subjects.items():
                if turn > 0 and least[name][0] > LONG_S:
                    continue
                if config is not None:
                    shutil.copy(config, folder / "assetc.yml")
                    shutil.rmtree(out, ignore_errors=True)
                taken = measure(words, folder)
                least[name] = tuple(map(min, taken, least.get(name, taken)))
        for name, (_, _, out) in subjects.items():
            wall, cpu = least[name]
            quality = psnr(basisu, folder, pictures, lambda picture: out / (picture.stem + ".ktx2"))
            print(f"{name:18}{wall:9.3f} s{cpu:9.3f} s of the processor{megatexels / cpu:9.2f} Mpx/s{quality:8.2f} dB", flush=True)


main()
