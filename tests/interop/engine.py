"""Runs examples/engine on the demo and compares what it prints.

    python3 engine.py ASSETC BUILD SOURCE [CMAKE]

Builds the example with the installed package of BUILD, compiles examples/demo of SOURCE with ASSETC, and runs the
example with a large and with a small GPU budget. Then does the same with the project that `assetc new` makes.
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STOP = "Game/UI/Stop"
RELOADED = f", reloaded {STOP}"
# The lines after those about the budget, whatever the budget is.
CHANGES = [
    f"start: {STOP} is ff0000",
    f"variant de: {STOP} is ffff00{RELOADED}",
    f"no variant: {STOP} is ff0000{RELOADED}",
    f"mod mounted: {STOP} is 800080{RELOADED}",
    f"mod unmounted: {STOP} is ff0000{RELOADED}",
    f"file changed: {STOP} is ff8000{RELOADED}",
    "3 reads failed at the first try and were repeated",
    "Game/UI/Cursor: level 2 and coarser, 1364 bytes on the device",
    "Game/Noise: inserted, 1024 bytes on the device",
    "Game/Lost: missing, drawn with an object of 4 bytes",
    "staging heap: textures were decoded into it, 0 bytes in use",
    "memory of the manager: counted",
]
CAMERA = re.compile(r"camera (\d+) m away: (\d+) of (\d+) textures at full detail, (\d+) bytes on the device, "
                    r"(\d+) assets coarser than wanted")


def require(holds, what):
    if not holds:
        raise SystemExit("engine.py: " + what)


def run(*command, code=0, **options):
    done = subprocess.run([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    require(done.returncode == code, f"{' '.join(map(str, command))} exited {done.returncode}:\n{done.stdout}")
    return done.stdout


def main(assetc, build, source, cmake="cmake"):
    source = pathlib.Path(source)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        run(cmake, "--install", build, "--prefix", work / "prefix")
        flags = "-Wall -Wextra -Wshadow -Wno-missing-field-initializers -Werror -fno-exceptions -fno-rtti"
        run(cmake, "-S", source / "examples/engine", "-B", work / "build", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}",
            "-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}")
        run(cmake, "--build", work / "build", "--target", "engine")
        shutil.copytree(source / "examples/demo", work / "demo", ignore=shutil.ignore_patterns("runtime", "build"))
        run(assetc, "-q", "--pack", cwd=work / "demo")
        engine = work / "build/engine"

        # Returns the counts of the three positions of the camera.
        def play(place, budget):
            out = run(engine, place, *([budget] if budget else [])).splitlines()
            what = f"{place}, budget {budget}: "
            require(out[:2] == ["Mesh: 10 assets", "Animation: 1 assets"], f"{what}found {out[:2]}")
            require(out[3:10] == ["folder Game/UI: Game/UI/Cursor Game/UI/Stop",
                                  "prefix Game/UI/C: Game/UI/Cursor",
                                  "tag sign: Game/Props/Arrow Game/UI/Stop",
                                  "contents of models/crate/crate.hmesh: 1 Material 1 Texture2D",
                                  "contents of models/lantern/lantern.hmesh: 1 Material 7 Mesh 1 Model 5 Texture2D",
                                  "contents of models/tentacle.hmesh: 1 Animation 1 Material 1 Texture2D",
                                  "contents of models/lantern/lantern.hscene: 1 Material 8 Mesh 5 Texture2D"],
                    f"{what}found {out[3:10]}")
            require("models/tentacle.hanim: clip sway, 2.00 s, 8 channels" in out, f"{what}no clip sway in {out}")
            require(out[-len(CHANGES):] == CHANGES, f"{what}found {out[-len(CHANGES):]}, expected {CHANGES}")
            require(out[-len(CHANGES) - 1].endswith("bytes: never exceeded"), f"{what}found {out[-len(CHANGES) - 1]}")
            return [tuple(map(int, match.groups())) for match in map(CAMERA.match, out) if match], out

        for place in [work / "demo/runtime/desktop.hpack", work / "demo/runtime/desktop"]:
            (near, far, again), out = play(place, None)
            # The seven meshes of lantern.hscene are also files of their own.
            meshes = [line for line in out if " triangles, " in line and not line.startswith("models/crate")]
            parts = [line for line in meshes if line.startswith("models/lantern/lantern/mesh_")]
            require(len(parts) == 7, f"found {parts}")
            meshes = [line for line in meshes if line not in parts]
            require([re.sub(r": .*, (\d+ levels.*)", r": \1", line) for line in meshes] == [
                "models/lantern/lantern.hmesh: 3 levels of detail, 0 joints",
                "models/tentacle.hmesh: 3 levels of detail, 8 joints"], f"found {meshes}")
            require(near[1:3] == (7, 7) and near[4] == 0, f"found {near}: all detail fits the large budget")
            require(far[1] < 7 and far[3] < near[3] and far[4] == 0, f"found {far}, expected less than {near}")
            require(again == near, f"found {again}, expected {near}")

            budget = (near[3] + far[3]) // 2
            (small, _, _), _ = play(place, budget)
            require(small[3] <= budget and small[4] > 0, f"found {small}, expected at most {budget} bytes")

        out = run(engine, work / "nothing.hpack", code=1)
        require(out.startswith("engine: ") and "nothing.hpack" in out, f"no pack: found {out}")

        # The project of `assetc new`, with its own CMakeLists.txt.
        game = work / "my game"
        run(assetc, "new", game)
        run(assetc, "-q", cwd=game)
        run(cmake, "-S", game, "-B", game / "build", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}",
            f"-DCMAKE_CXX_FLAGS={flags}")
        run(cmake, "--build", game / "build")
        out = run(game / "build/game", cwd=game)
        require(out.startswith("crate: 24 vertices, "), f"the new project: found {out}")


if __name__ == "__main__":
    main(*sys.argv[1:])
