"""Calls the runtime's C interface as programs in other languages do: installed, and found through its packages.

    python3 c_api.py ASSETC BUILD SOURCE [CMAKE [RUSTC]]

Builds a project of one picture with assetc, installs BUILD, and runs examples/c (with pkg-config in C99, and with
CMake), examples/python and examples/rust on its pack and its cooked folder. Compares their output with the generated
picture and the written files. If rustc or pkg-config is missing, reports that and skips its part.
"""
import json
import os
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

WIDTH, HEIGHT = 24, 16


def require(holds, what):
    if not holds:
        raise SystemExit("c_api.py: " + what)


def pixels():
    return bytes(v for y in range(HEIGHT) for x in range(WIDTH) for v in (x * 10, y * 15, (x * y) % 256, 255))


def png(rgba):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + rgba[y * WIDTH * 4:(y + 1) * WIDTH * 4] for y in range(HEIGHT))
    header = struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def fnv1a(data):
    value = 0xcbf29ce484222325
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 % (1 << 64)
    return f"{value:016x}"


def run(*command, **options):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    require(done.returncode == 0, f"{' '.join(map(str, command))} exited {done.returncode}:\n{done.stdout}")
    return done.stdout


def installed(program):
    try:
        subprocess.run([program, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return True
    except (OSError, subprocess.CalledProcessError):
        return False


def main(assetc, build, source, cmake="cmake", rustc="rustc"):
    source = pathlib.Path(source)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        # A picture that is stored unchanged, so that the loaded texels are the drawn ones.
        (work / "Assets/ui").mkdir(parents=True)
        (work / "Assets/ui/button.png").write_bytes(png(pixels()))
        (work / "assetc.yml").write_text("input: Assets\noutput: runtime\nplatforms: {Linux: }\n"
                                         "default: {texture: {compress: false}}\n")
        run(assetc, "--pack", cwd=work)
        run(assetc, "import", cwd=work)
        cooked = run(assetc, "cook", "--platform", "Linux", cwd=work)
        registry = next(work.rglob("AssetRegistry.json"), None)
        require(registry, "the cook wrote no registry:\n" + cooked)
        asset = json.loads(registry.read_text())["Assets"][0]
        tree = registry.parent.parent
        places = {
            (str(work / "runtime.hpack") if (work / "runtime.hpack").exists() else str(next(work.rglob("*.hpack"))),
             "ui/button.ktx2"): (work / "runtime/ui/button.ktx2", 0, 0),
            (str(tree), asset["VirtualPath"]): (tree / asset["CookedPath"], WIDTH, HEIGHT)}

        prefix = work / "prefix"
        run(cmake, "--install", build, "--prefix", prefix)
        library = next(path for path in prefix.rglob("libassetc.so*") if not path.is_symlink())
        exported = run("nm", "-D", "--defined-only", library)
        others = [line for line in exported.splitlines() if line.split()[1] != "A" and " assetc_" not in line]
        require(not others, "libassetc exports more than its interface: " + str(others[:5]))
        header = (source / "include/assetc/runtime.h").read_text()
        declared = set(re.findall(r"^ASSETC_API.*?\b(assetc_\w+)\(", header, re.MULTILINE))
        require(len(declared) > 25 and declared == set(re.findall(r" T (assetc_\w+)", exported)),
                "libassetc exports others than runtime.h declares")

        # A signed bundle of the cooked folder, in a C++ program for which the package finds libsodium.
        run(assetc, "keygen", "studio", cwd=work)
        run(assetc, "keygen", "other", cwd=work)
        run(assetc, "bundle", "create", "game.pak", "--cooked", tree, "--bundle-version", "1", "--sign", "studio.key",
            cwd=work)
        run(cmake, "-S", source / "examples/engine", "-B", work / "engine", f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", work / "engine", "--target", "bundle")
        mounted = [work / "engine/bundle", tree, work / "game.pak"]
        blob = tree / asset["CookedPath"]
        out = run(*mounted, work / "studio.pub", asset["VirtualPath"])
        require(out == f"{asset['VirtualPath']}: {asset['Uuid']}, {blob.stat().st_size} bytes\n", "bundle: found " + out)
        refused = subprocess.run([*map(str, mounted), str(work / "other.pub"), "any"], stderr=subprocess.PIPE, text=True)
        require(refused.returncode == 1 and "untrusted" in refused.stderr, "bundle: another key: " + refused.stderr)

        # The wheel, unpacked as pip does it.
        machine = {"x86_64": "amd64", "aarch64": "arm64"}[os.uname().machine]
        wheel = run("python3", source / "python/build_wheel.py", prefix, f"linux-{machine}", work).strip()
        run("python3", source / "python/build_wheel.py", prefix, f"linux-{machine}", work / "again")
        require(pathlib.Path(wheel).read_bytes() == (work / "again" / pathlib.Path(wheel).name).read_bytes(),
                "two wheels of one tree differ")
        with zipfile.ZipFile(wheel) as packed:
            require(packed.testzip() is None, "the wheel is damaged")
            for entry in packed.infolist():
                pathlib.Path(packed.extract(entry, work / "site")).chmod(entry.external_attr >> 16 & 0o777)
        programs = {"python": ["python3", source / "examples/python/assets.py"]}
        run(cmake, "-S", source / "examples/c", "-B", work / "c", f"-DCMAKE_PREFIX_PATH={prefix}")
        run(cmake, "--build", work / "c")
        programs["c"] = [work / "c/assets"]
        if installed("pkg-config"):
            folders = os.pathsep.join(str(path.parent) for path in prefix.rglob("assetc.pc"))
            flags = run("pkg-config", "--cflags", "--libs", "assetc", env=os.environ | {"PKG_CONFIG_PATH": folders})
            run("cc", "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", source / "examples/c/assets.c", "-o",
                work / "assets_pc", *flags.split())
            programs["c by pkg-config"] = [work / "assets_pc"]
        else:
            print("skipped: pkg-config is not installed")
        if installed(rustc):
            run(rustc, "-D", "warnings", "-L", library.parent, "-o", work / "assets_rust",
                source / "examples/rust/assets.rs")
            programs["rust"] = [work / "assets_rust"]
        else:
            print("skipped: rustc is not installed (Debian's package is rustc)")

        environment = os.environ | {"LD_LIBRARY_PATH": str(library.parent), "PYTHONPATH": str(work / "site")}
        out = run("python3", "-m", "assetc", "--version", env=environment)
        require(out == run(assetc, "--version"), "the wheel's command: found " + out)
        pack = next(iter(places))
        out = run("python3", source / "tests/interop/wheel.py", *pack, env=environment)
        if out:
            print(out, end="")
        for (place, path), (file, width, height) in places.items():
            content = file.read_bytes()
            for language, program in programs.items():
                out = run(*program, place, path, env=environment).splitlines()
                what = f"{language} on {place}: "
                expected = ["abi 5", f"{path}: type 1, {width} x {height} in the registry",
                            f"file: {len(content)} bytes, {fnv1a(content)}", "VkFormat 43, 5 levels",
                            f"level 0: {WIDTH} x {HEIGHT}, {fnv1a(pixels())}"]
                require(out[:5] == expected, f"{what}found {out[:5]}, expected {expected}")
                sizes = [line.split(",")[0] for line in out[6:9]]
                require(sizes == ["level 2: 6 x 4", "level 3: 3 x 2", "level 4: 1 x 1"], f"{what}found {sizes}")
                missing = ("(000000000000dead): missing: no mount has this asset; "
                           "cook it, or mount the folder or bundle that contains it")
                require(out[9:] == [missing], f"{what}found {out[9:]}, expected {missing}")
                nothing = subprocess.run([*map(str, program), str(work / "nothing.hpack"), path], env=environment,
                                         stderr=subprocess.PIPE, text=True)
                require(nothing.returncode == 1 and "nothing.hpack: no such file" in nothing.stderr,
                        f"{what}found {nothing.returncode} and {nothing.stderr!r} of a pack that is not there")
        print("c_api.py: " + ", ".join(programs) + " read what assetc wrote")


if __name__ == "__main__":
    main(*sys.argv[1:])
