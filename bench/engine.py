#!/usr/bin/env python3
"""Measures what an engine pays to use assetc: compile time of headers, size of programs, time of a first build.

    bench/engine.py headers      user time of a source that only includes a header, above its standard headers
    bench/engine.py sizes        size of stripped programs that use one feature each, linked to the installed libraries
    bench/engine.py subproject   processor time to build a program in a project with add_subdirectory(assetc)

Prints tables in Markdown, for docs/reference/runtime-size.md. Uses c++, cmake, ninja, strip and the packages that the
runtime needs. Run it on an idle machine. The shortest of several runs counts, because other programs can only make a run
longer.
"""
import argparse
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[1]
HEADERS = ["runtime/manager.hpp", "runtime/assets.hpp", "runtime/catalog.hpp"]


def run(*command, cwd=None):
    """Runs a command and returns the user and system time of it and its children, in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "CCACHE_DISABLE": "1"})
    if done.returncode != 0:
        sys.exit(f"bench/engine.py: {' '.join(map(str, command))} failed:\n{done.stdout}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def headers(folder, runs):
    compiler = os.environ.get("CXX", "c++")

    def seconds(text):
        source = folder / "include.cpp"
        source.write_text(text)
        return run(compiler, "-std=c++23", "-O2", "-fsyntax-only", f"-I{ROOT / 'include'}", source)[0]

    print("| header | user time, less is better | its standard headers alone | difference | ratio |\n|---|---|---|---|---|")
    for header in HEADERS:
        text = (ROOT / "include/assetc" / header).read_text()
        # The standard headers that the header itself names. Those that it reaches through other headers count for it.
        standard = "".join(re.findall(r"#include <\w+>\n", text))
        # In turns: both meet the same load of the machine.
        times = [(seconds(standard), seconds(f"#include <assetc/{header}>\n")) for _ in range(runs)]
        alone, whole = (min(column) for column in zip(*times))
        print(f"| `{header}` | {whole:.2f} s | {alone:.2f} s | **{whole - alone:.2f} s** | {whole / alone:.1f} |", flush=True)


# Each program: its name, its includes and the body of main().
MANAGER = """runtime::Catalog catalog;
  if (!catalog.mount(argv[1])) return 1;
  runtime::Manager manager(catalog);
  """


def load(type_name, asset_type, loader):
    return MANAGER + f"""manager.add<{type_name}>(runtime::AssetType::{asset_type}, {loader});
  return manager.load<{type_name}>(argv[2]).is_ready() ? 0 : 1;"""


ALL = MANAGER + """runtime::add_loaders(manager);
  """
HELLO = ALL + "return manager.load<runtime::MeshData>(argv[2]).is_ready() ? 0 : 1;"
PROGRAMS = [
    ("nothing of assetc", [], "return argc + argv[0][0];"),
    ("`hmesh::View`: reads one format", ["formats/hmesh.hpp", "runtime/file_tree.hpp"],
     "const auto file = runtime::map_file(argv[1]);\n  return hmesh::View::open(*file) ? 0 : 1;"),
    ("`Catalog`: every layout, bundles included", ["runtime/catalog.hpp"],
     "runtime::Catalog catalog;\n  if (!catalog.mount(argv[1])) return 1;\n"
     "  return catalog.read(*catalog.find_by_path(argv[2])) ? 0 : 1;"),
    ("`Manager` with `raw_loader`", ["runtime/assets.hpp"], load("runtime::RawData", "kRaw", "runtime::raw_loader()")),
    ("`Manager` with `shader_loader`", ["runtime/assets.hpp"],
     load("runtime::ShaderData", "kShader", "runtime::shader_loader()")),
    ("`Manager` with `material_loader`", ["runtime/assets.hpp"],
     load("runtime::MaterialData", "kMaterial", "runtime::material_loader()")),
    ("`Manager` with `mesh_loader`", ["runtime/assets.hpp"],
     load("runtime::MeshData", "kMesh", "runtime::mesh_loader()")),
    ("`Manager` with `texture_loader`: Zstd, UASTC and ETC1S", ["runtime/assets.hpp"],
     load("runtime::TextureData", "kTexture2D", "runtime::texture_loader()")),
    ("`Manager` with `audio_loader`", ["runtime/assets.hpp"],
     load("runtime::AudioData", "kAudio", "runtime::audio_loader()")),
    ("`Manager` with `scene_loader`", ["runtime/assets.hpp", "runtime/scene.hpp"],
     load("runtime::SceneData", "kModel", "runtime::scene_loader()")),
    ("`Manager` with `animation_loader`", ["runtime/animation.hpp", "runtime/assets.hpp"],
     load("runtime::AnimationData", "kAnimation", "runtime::animation_loader()")),
    ("`Manager` with `cluster_loader`", ["runtime/assets.hpp", "runtime/clusters.hpp"],
     load("runtime::ClusterData", "kClusters", "runtime::cluster_loader()")),
    ("`Manager` with `font_loader`", ["runtime/assets.hpp", "runtime/text.hpp"],
     load("runtime::FontData", "kFont", "runtime::font_loader()")),
    ("`Manager` with all loaders", ["runtime/assets.hpp"], HELLO),
    ("the same and `layout_of`", ["runtime/mesh_layout.hpp"],
     HELLO.replace("return manager.load<runtime::MeshData>(argv[2]).is_ready() ? 0 : 1;",
                   "return static_cast<int>(runtime::layout_of(*manager.load<runtime::MeshData>(argv[2]).get()).levels.size());")),
    ("all loaders and `AudioStream`", ["runtime/assets.hpp", "runtime/audio_stream.hpp"],
     ALL + "runtime::AudioStream music(manager, *catalog.find_by_path(argv[2]), {});\n  music.fill();\n"
     "  float out[2];\n  music.pull(out);\n  return out[0] > 0 ? 1 : 0;"),
    ("all loaders and animation: `sample`, `blend`, matrices", ["runtime/animation.hpp", "runtime/assets.hpp"],
     ALL + "const auto clips = manager.load<runtime::AnimationData>(argv[2]);\n"
     "  std::vector<runtime::Transform> pose(4);\n"
     "  runtime::sample(clips.get()->clips.clips()[0], 0, {}, pose);\n  runtime::blend(pose, pose, 0.5f, pose);\n"
     "  std::vector<runtime::Matrix> model(4);\n"
     "  runtime::skinning_matrices({}, {}, model, model);\n  return model[0][0] > 0 ? 0 : 1;"),
    ("all loaders and parts", ["runtime/all_loaders.hpp"],
     MANAGER + "runtime::add_loaders(manager, {.texture = runtime::texture_loader({}, runtime::PartOptions{}), "
     ".mesh = runtime::mesh_loader(runtime::PartOptions{}), .audio = runtime::audio_loader(runtime::PartOptions{})});\n"
     "  return manager.load<runtime::MeshData>(argv[2]).is_ready() ? 0 : 1;"),
    ("all loaders and `WatchClient`", ["runtime/assets.hpp", "runtime/watch_client.hpp"],
     ALL + "runtime::WatchClient watch(argv[2], [&](const runtime::Changes& changes) { manager.changed(changes); });\n"
     "  return watch.is_connected() ? 0 : 1;"),
]
ALL_LOADERS = "`Manager` with all loaders"


def programs(folder, prefix, chosen, flags):
    """Builds programs with the package installed in prefix. Returns the size of each stripped program in bytes."""
    folder.mkdir()
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(sizes CXX)",
             "find_package(assetc REQUIRED COMPONENTS runtime)", f"add_link_options({flags})"]
    for i, (_, includes, body) in enumerate(chosen):
        text = "".join(f"#include <assetc/{i}>\n" for i in includes)
        if includes:
            text += "using namespace assetc;\n"
        (folder / f"p{i}.cpp").write_text(text + f"int main(int argc, char** argv) {{\n  if (argc < 3) return 2;\n  {body}\n}}\n")
        lines += [f"add_executable(p{i} p{i}.cpp)", f"target_link_libraries(p{i} PRIVATE assetc::runtime)"]
    (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    run("cmake", "-G", "Ninja", "-S", folder, "-B", folder / "build", "-DCMAKE_BUILD_TYPE=Release",
        f"-DCMAKE_PREFIX_PATH={prefix}")
    run("ninja", "-C", folder / "build")
    sizes = []
    for i in range(len(chosen)):
        run("strip", folder / f"build/p{i}")
        sizes.append((folder / f"build/p{i}").stat().st_size)
    return sizes


def install(folder, *options):
    run("cmake", "-G", "Ninja", "-S", ROOT, "-B", folder / "build", "-DCMAKE_BUILD_TYPE=Release", "-DASSETC_COMPILER=OFF",
        "-DASSETC_TESTS=OFF", "-DASSETC_SHARED=OFF", "-DASSETC_UNITY=all", f"-DCMAKE_INSTALL_PREFIX={folder / 'prefix'}",
        *options)
    run("ninja", "-C", folder / "build", "install")
    return folder / "prefix"


def sizes(folder, _runs):
    prefix = install(folder / "whole")
    small = "LINKER:--gc-sections"
    measured = programs(folder / "features", prefix, PROGRAMS, small)
    hello = [p for p in PROGRAMS if p[0] == ALL_LOADERS]
    unused = programs(folder / "unused", prefix, hello, "LINKER:--no-gc-sections")[0]
    less = install(folder / "less", "-DASSETC_SODIUM=OFF")
    without = programs(folder / "without", less, hello, small)[0]
    print("| program | stripped size, less is better |\n|---|---|")
    for (name, _, _), size in zip(PROGRAMS, measured):
        print(f"| {name} | {size / 1000:.0f} KB |")
    print(f"| all loaders, linked without `--gc-sections` | {unused / 1000:.0f} KB |")
    print(f"| all loaders, `-DASSETC_SODIUM=OFF` | {without / 1000:.0f} KB |")


def subproject(folder, runs):
    game = folder / "game"
    game.mkdir()
    _, includes, body = next(p for p in PROGRAMS if p[0] == ALL_LOADERS)
    (game / "game.cpp").write_text("".join(f"#include <assetc/{i}>\n" for i in includes) +
                                   f"using namespace assetc;\nint main(int argc, char** argv) {{\n  if (argc < 3) return 2;\n  {body}\n}}\n")
    (game / "CMakeLists.txt").write_text(f"""cmake_minimum_required(VERSION 3.25)
project(game C CXX)
add_subdirectory({ROOT} assetc)
add_executable(game game.cpp)
target_link_libraries(game PRIVATE assetc::runtime)
""")
    best = None
    for i in range(runs):
        build = folder / f"build{i}"
        run("cmake", "-G", "Ninja", "-S", game, "-B", build, "-DCMAKE_BUILD_TYPE=Release")
        times = run("ninja", "-C", build)
        best = min(best or times, times, key=sum)
    print("| user time of `ninja`, less is better | system time | half of both: on 2 idle cores, at best |\n|---|---|---|\n"
          f"| {best[0]:.0f} s | {best[1]:.0f} s | {sum(best) / 2:.0f} s |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["headers", "sizes", "subproject"])
    parser.add_argument("--runs", type=int, help="default: 15 for headers, 1 for subproject")
    arguments = parser.parse_args()
    measure = {"headers": headers, "sizes": sizes, "subproject": subproject}[arguments.what]
    with tempfile.TemporaryDirectory(prefix="assetc-bench-") as folder:
        measure(pathlib.Path(folder), arguments.runs or (15 if arguments.what == "headers" else 1))


if __name__ == "__main__":
    main()
