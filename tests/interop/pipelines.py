"""Creates pipelines of compiled shaders on a Vulkan driver, with the layouts that assetc's reflection gives.

    python3 pipelines.py ASSETC FOLDER...

Compiles HLSL and GLSL of this file and all folders "shaders" below the folders. The validation layer must accept every
pipeline, and must refuse one whose layout is wrong. Exits with 77 without a C++ compiler or Vulkan.
"""
import glob
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

KINDS = ["sampler", "combined image sampler", "sampled image", "storage image", "uniform texel buffer",
         "storage texel buffer", "uniform buffer", "storage buffer"]  # by VkDescriptorType
STAGES = {"vertex": 1, "tess_control": 2, "tess_evaluation": 4, "geometry": 8, "fragment": 16, "compute": 32}
TRIANGLE = """struct Camera { float4x4 world; float scale; float3 offset; };
cbuffer C : register(b0) { Camera camera; };
struct PC { float4 color; uint index; };
[[vk::push_constant]] PC pc;
struct V { float4 at : SV_Position; float2 uv : TEXCOORD0; };
"""
SOURCES = {
    "registers.shader/vertex.hlsl": TRIANGLE + """V main(uint i : SV_VertexID) {
  V v; v.uv = float2(i & 1, i >> 1); v.at = mul(camera.world, float4(v.uv * camera.scale + pc.color.xy, 0, 1)); return v;
}
""",
    "registers.shader/fragment.hlsl": TRIANGLE + """Texture2D tex : register(t0);
TextureCube sky : register(t1);
Texture2D depth : register(t2);
Texture2D many[4] : register(t0, space1);
SamplerState smp : register(s0);
SamplerComparisonState shadow : register(s1);
cbuffer M : register(b1) { float4 tint; };
StructuredBuffer<float4> lights : register(t8);
Buffer<float4> texels : register(t9);
RWTexture2D<float4> image : register(u1);
float4 main(V v) : SV_Target {
  image[uint2(0, 0)] = tint;
  return tex.Sample(smp, v.uv) * tint + sky.Sample(smp, v.uv.xyy) + many[2].Sample(smp, v.uv) + lights[1] + texels[2] +
    depth.SampleCmpLevelZero(shadow, v.uv, 0.5) + pc.color + camera.scale;
}
""",
    "automatic.shader/compute.hlsl": """Texture2D a; Texture2D b; SamplerState s; cbuffer C { float4 tint; }; float4 loose;
RWStructuredBuffer<float4> out0; RWStructuredBuffer<float4> out1; AppendStructuredBuffer<float4> more;
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) {
  out0[id.x] = a.SampleLevel(s, id.xy, 0) + tint; out1[id.y] = b.Load(int3(id.xy, 0)) + loose; more.Append(tint);
}
""",
    "attributes.shader/compute.hlsl": """[[vk::binding(0, 1)]] Texture2D a : register(t0);
[[vk::binding(1, 1)]] SamplerState s : register(s0);
[[vk::binding(2)]] RWStructuredBuffer<float4> o : register(u0);
cbuffer C : register(b0) { float4 tint; };
[numthreads(8, 8, 1)] void main(uint3 id : SV_DispatchThreadID) { o[id.x] = a.SampleLevel(s, id.xy, 0) + tint; }
""",
    "alias.shader/compute.glsl": """#version 450
layout(set=0, binding=0) buffer A { uint a[]; };
layout(set=0, binding=0) buffer B { vec4 b[]; };
layout(set=0, binding=1) uniform texture2D flat_ones[4];
layout(set=0, binding=2) uniform sampler s;
void main() { a[0] = uint(b[1].x + texture(sampler2D(flat_ones[1], s), vec2(0)).x); }
""",
}


def require(holds, what):
    if not holds:
        raise SystemExit("pipelines.py: " + what)


def skip(why):
    print("pipelines.py: skipped: " + why)
    sys.exit(77)


def reflect(assetc, module):
    lines = subprocess.check_output([assetc, "info", "--json", str(module)], text=True).splitlines()
    return next(json.loads(line) for line in lines if '"bindings"' in line)


def job_of(modules, wrong=False):
    """The lines of a job. wrong: the first binding gets another kind."""
    places, push, lines = {}, 0, []
    for stage, file, wants in modules:
        for b in wants["bindings"]:
            kind, count = places.get((b["set"], b["binding"]), (b["kind"], 1))
            require(kind == b["kind"], f"{file}: two kinds at one place")
            places[b["set"], b["binding"]] = (kind, max(count, b["count"]))
        push = max(push, wants["push_constant_bytes"])
        lines.append(f"stage {STAGES[stage]} {file} {wants['entry_point']}")
    for (at, binding), (kind, count) in sorted(places.items()):
        number = KINDS.index(kind)
        if wrong:
            number, wrong = (number + 1) % len(KINDS), False
        lines.append(f"binding {at} {binding} {number} {count}")
    return "\n".join([f"push {push}", *lines, "make\n"])


def main():
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        skip("no C++ compiler")
    assetc, *folders = sys.argv[1:]
    env = dict(os.environ)
    drivers = sorted(glob.glob("/usr/share/vulkan/icd.d/lvp_icd*"))
    if drivers:
        env["VK_ICD_FILENAMES"] = drivers[0]
    with tempfile.TemporaryDirectory() as place:
        root = pathlib.Path(place)
        source = pathlib.Path(__file__).with_name("pipeline_layout.cpp")
        built = subprocess.run([compiler, "-std=c++17", str(source), "-o", str(root / "probe"), "-lvulkan"],
                               capture_output=True, text=True)
        if built.returncode != 0:
            require("vulkan" in built.stderr, built.stderr)
            skip("Vulkan is not installed")
        for i, folder in enumerate(f for one in folders for f in sorted(pathlib.Path(one).rglob("shaders"))):
            shutil.copytree(folder, root / f"assets/{i}")
        for name, text in SOURCES.items():
            (root / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
            (root / "assets" / name).write_text(text)
        done = subprocess.run([assetc, "-q"], cwd=root, capture_output=True, text=True)
        require(done.returncode == 0, done.stderr + done.stdout)
        checked = subprocess.run([assetc, "check", "runtime"], cwd=root, capture_output=True, text=True)
        require(checked.returncode == 0, checked.stdout + checked.stderr)

        jobs, names = [], []
        for folder in sorted({m.parent for m in (root / "runtime").rglob("*.spv")}):
            modules = [(m.stem, m, reflect(assetc, m)) for m in sorted(folder.glob("*.spv")) if m.stem in STAGES]
            graphics = [m for m in modules if m[0] != "compute"]
            inputs = [m for m in graphics if m[0] == "vertex" and m[2]["inputs"]]
            pipelines = [[m] for m in modules if m[0] == "compute"]
            if any(m[0] == "vertex" for m in graphics) and not inputs:  # this file has no vertex buffers
                pipelines.append(graphics)
            for pipeline in pipelines:
                jobs.append(job_of(pipeline))
                names.append(str(folder.relative_to(root)))
        require(len(jobs) >= 4, f"only {len(jobs)} pipelines")
        first = next(i for i, name in enumerate(names) if "registers" in name)
        folder = root / "runtime/registers.shader"
        wants = [(m.stem, m, reflect(assetc, m)) for m in sorted(folder.glob("*.spv"))]
        jobs.append(job_of(wants, wrong=True))
        ran = subprocess.run([str(root / "probe")], input="".join(jobs), env=env, capture_output=True, text=True)
        if ran.returncode == 77:
            skip(ran.stderr.strip() or "no Vulkan device")
        require(ran.returncode == 0, f"the probe ended with {ran.returncode}: {ran.stderr}")
        answers = [line for line in ran.stdout.splitlines() if line.startswith(("made", "refused"))]
        require(len(answers) == len(jobs), ran.stdout)
        for name, answer in zip(names, answers):
            require(answer == "made", f"{name}: {answer}")
        require(answers[-1].startswith("refused") and answers[first] == "made", "a wrong layout was accepted")

        # Without first registers of their own, the kinds meet at one place, and the build says so.
        (root / "assetc.yml").write_text('default: {shader: {registers: "b0 s0 t0 u0"}}\n')
        done = subprocess.run([assetc, "-q"], cwd=root, capture_output=True, text=True)
        require(done.returncode != 0 and "set 0, binding 0: found a" in done.stderr, done.stderr)
    print(f"pipelines.py: {len(names)} pipelines have the layout that assetc reports")


main()
