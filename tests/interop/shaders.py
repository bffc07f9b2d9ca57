"""Compares the shader interfaces that assetc reports with those of spirv-cross.

    python3 shaders.py ASSETC FOLDER...

Compiles every folder "shaders" below the folders, with names and without, and compares bindings, sizes, push constants,
inputs, outputs, workgroup sizes and specialization constants. Exits with 77 if spirv-cross is not installed.
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

KINDS = {"textures": "combined image sampler", "ubos": "uniform buffer", "ssbos": "storage buffer", "images": "storage image",
         "separate_images": "sampled image", "separate_samplers": "sampler", "subpass_inputs": "input attachment"}
EXTRA = {
    "extra.shader/compute.glsl": """#version 450
layout(local_size_x = 8, local_size_y_id = 3) in;
layout(constant_id = 5) const float kScale = 2.5;
struct Inner { vec3 a; float b[3]; mat3 c; };
layout(set = 2, binding = 1, std430) buffer Items { uint count; Inner inner[4]; vec2 more[]; } items;
layout(set = 0, binding = 3, std140) uniform Settings { mat4x3 m; vec2 v[5]; layout(row_major) mat2x4 r; } settings;
layout(set = 0, binding = 0) uniform sampler2D pictures[6];
layout(set = 0, binding = 4, rgba8) uniform writeonly image2D target;
layout(set = 1, binding = 0) uniform texture2D plain;
layout(set = 1, binding = 2) uniform sampler wrap;
layout(push_constant) uniform Push { vec4 color; mat3 turn; int index; } push;
void main() {
  items.more[gl_GlobalInvocationID.x] = items.inner[1].a.xy * kScale + settings.v[2] + settings.r[1].xy;
  imageStore(target, ivec2(gl_GlobalInvocationID.xy), texture(pictures[push.index % 6], vec2(0.5)) * push.color +
             texture(sampler2D(plain, wrap), vec2(0.25)) + vec4(settings.m[0], push.turn[0][0]));
}
""",
    "buffers.shader/compute.hlsl": """struct Item { float4 a; uint b; };
StructuredBuffer<Item> from : register(t0);
RWStructuredBuffer<Item> to : register(u1);
RWByteAddressBuffer raw : register(u2);
[numthreads(8, 4, 1)] void main(uint3 id : SV_DispatchThreadID) {
  to[id.x].a = from[id.x].a;
  raw.Store(4 * id.x, from[id.y].b);
}
""",
    "extra.shader/vertex.glsl": """#version 450
layout(location = 0) in vec3 position;
layout(location = 1) in uvec4 joints;
layout(location = 2) in mat4 place;
layout(location = 6) in ivec2 cell;
layout(location = 0) out vec2 uv;
layout(location = 3) flat out int id;
void main() { gl_Position = place * vec4(position, 1); uv = vec2(joints.xy); id = cell.x + gl_InstanceIndex; }
""",
}


def require(holds, what):
    if not holds:
        raise SystemExit("shaders.py: " + what)


def type_of(variable):
    """The name that spirv-cross uses for it."""
    scalar = {"float": ("float", "vec"), "int": ("int", "ivec"), "uint": ("uint", "uvec")}[variable["scalar"]]
    n, columns = variable["components"], variable["columns"]
    if columns > 1:
        return f"mat{columns}" if columns == n else f"mat{columns}x{n}"
    return scalar[0] if n == 1 else scalar[1] + str(n)


def compare(ours, theirs, where):
    bindings = {}
    for group, kind in KINDS.items():
        for one in theirs.get(group, []):
            count = one.get("array", [1])[0]
            size = one.get("block_size", 0)
            bindings[one["set"], one["binding"]] = (kind, count, size)
    found = {(b["set"], b["binding"]): (b["kind"], b["count"], b["size_bytes"]) for b in ours["bindings"]}
    require(found == bindings, f"{where}: bindings {found}, spirv-cross has {bindings}")
    for side in ("inputs", "outputs"):
        wanted = sorted((v["location"], v["type"]) for v in theirs.get(side, []))
        have = sorted((v["location"], type_of(v)) for v in ours[side])
        require(have == wanted, f"{where}: {side} {have}, spirv-cross has {wanted}")
    push = theirs.get("push_constants", [])
    size = 0
    if push:
        members = theirs["types"][push[0]["type"]]["members"]
        last = max(members, key=lambda m: m["offset"])
        widths = {"float": 4, "int": 4, "uint": 4, "vec2": 8, "vec3": 12, "vec4": 16, "mat4": 64, "mat3": 48}
        size = last["offset"] + widths[last["type"]]
    require(ours["push_constant_bytes"] == size, f"{where}: push constants {ours['push_constant_bytes']}, expected {size}")
    entry = theirs["entryPoints"][0]
    require(ours["entry_point"] == entry["name"], f"{where}: entry point")
    if "workgroup_size" in entry and not any(entry.get("workgroup_size_is_spec_constant_id", [])):
        require(ours["workgroup_size"] == entry["workgroup_size"], f"{where}: workgroup size {ours['workgroup_size']}")
    constants = sorted(c["id"] for c in theirs.get("specialization_constants", []))
    require(sorted(c["id"] for c in ours["spec_constants"]) == constants, f"{where}: constants {ours['spec_constants']}")


def main():
    if shutil.which("spirv-cross") is None:
        print("shaders.py: spirv-cross is not installed")
        sys.exit(77)
    assetc, *folders = sys.argv[1:]
    seen = 0
    for debug in ("true", "false"):
        with tempfile.TemporaryDirectory() as place:
            root = pathlib.Path(place)
            shaders = [found for folder in folders for found in sorted(pathlib.Path(folder).rglob("shaders"))]
            for i, folder in enumerate(shaders):
                shutil.copytree(folder, root / f"assets/{i}")
            for name, text in EXTRA.items():
                (root / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
                (root / "assets" / name).write_text(text)
            (root / "assetc.yml").write_text(f"default: {{shader: {{debug: {debug}}}}}\n")
            built = subprocess.run([assetc, "-q"], cwd=root, capture_output=True, text=True)
            require(built.returncode == 0, built.stderr)
            for module in sorted((root / "runtime").rglob("*.spv")):
                lines = subprocess.check_output([assetc, "info", "--json", str(module)], text=True).splitlines()
                ours = next(json.loads(line) for line in lines if '"bindings"' in line)
                theirs = json.loads(subprocess.check_output(["spirv-cross", str(module), "--reflect"], text=True))
                compare(ours, theirs, module.relative_to(root))
                seen += 1
    require(seen >= 8, f"only {seen} modules")
    print(f"shaders.py: {seen} modules have the interface that spirv-cross reports")


main()
