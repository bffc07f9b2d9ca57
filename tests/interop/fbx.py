#!/usr/bin/env python3
"""Compares FBX files from Blender, converted by assetc, with Blender's own data of the same scene.

usage: fbx.py ASSETC    exits with 77 if Blender is not installed

Blender makes a skinned, animated, textured scene, exports it as binary FBX, and prints the place of every vertex at
some frames, in meters. assetc converts the file to GLB, whose nodes, skin and clip are evaluated here using only the
glTF 2.0 specification.
"""
import json
import math
import os
import shutil
import struct
import subprocess
import sys
import tempfile

SCENE = r'''
import bpy, json, math, sys
folder = sys.argv[sys.argv.index("--") + 1]
bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.frame_start, scene.frame_end, scene.render.fps = 1, 25, 24

def material(name, color, roughness, picture=None):
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    shader = nodes["Principled BSDF"]
    shader.inputs["Base Color"].default_value = (*color, 1)
    shader.inputs["Roughness"].default_value = roughness
    if picture:
        node = nodes.new("ShaderNodeTexImage")
        node.image = picture
        links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return made

picture = bpy.data.images.new("bark", 4, 4)
picture.filepath_raw, picture.file_format = folder + "/bark.png", "PNG"
picture.save()

bpy.ops.mesh.primitive_cylinder_add(vertices=12, radius=0.25, depth=2, location=(0, 0, 1))
limb = bpy.context.object
limb.name, limb.data.name = "Limb", "LimbMesh"
bpy.ops.object.mode_set(mode="EDIT")
bpy.ops.mesh.subdivide(number_cuts=3)
bpy.ops.object.mode_set(mode="OBJECT")
limb.data.materials.append(material("Skin", (0.25, 0.5, 0.75), 0.5))
limb.data.materials.append(material("Bark", (1, 1, 1), 1, picture))
for face in limb.data.polygons:
    face.material_index = int(face.center.z > 0.5)

bpy.ops.object.armature_add(enter_editmode=True, location=(0, 0, 0))
rig = bpy.context.object
rig.name = "Rig"
bones = rig.data.edit_bones
bones[0].name, bones[0].head, bones[0].tail = "Upper", (0, 0, 0), (0, 0, 1)
lower = bones.new("Lower")
lower.head, lower.tail, lower.parent, lower.use_connect = (0, 0, 1), (0, 0, 2), bones[0], True
bpy.ops.object.mode_set(mode="OBJECT")
limb.select_set(True)
rig.select_set(True)
bpy.context.view_layer.objects.active = rig
bpy.ops.object.parent_set(type="ARMATURE")
for name in ("Upper", "Lower"):
    limb.vertex_groups.get(name) or limb.vertex_groups.new(name=name)
for v in limb.data.vertices:
    w = min(max((limb.matrix_world @ v.co).z - 0.5, 0), 1)
    limb.vertex_groups["Upper"].add([v.index], 1 - w, "REPLACE")
    limb.vertex_groups["Lower"].add([v.index], w, "REPLACE")
rig.animation_data_create()
rig.animation_data.action = bpy.data.actions.new("Wave")
bone = rig.pose.bones["Lower"]
bone.rotation_mode = "XYZ"
for frame, angle in ((1, 0), (13, 60), (25, 0)):
    bone.rotation_euler = (math.radians(angle), 0, 0)
    bone.keyframe_insert("rotation_euler", frame=frame)

bpy.ops.mesh.primitive_cube_add(size=0.5, location=(2, 1, 0.5), rotation=(0.3, 0.2, 0.1), scale=(1, 2, 3))
box = bpy.context.object
box.name, box.data.name = "Box", "BoxMesh"
box.data.materials.append(material("Paint", (1, 0.5, 0.25), 0.75))
bpy.ops.object.empty_add(location=(0, 0, 1))
hook = bpy.context.object
hook.name = "Hook"
box.parent = hook
box.matrix_parent_inverse = hook.matrix_world.inverted()
hook.rotation_euler = (0, 0, 0)
hook.keyframe_insert("rotation_euler", frame=1)
hook.rotation_euler = (0, 0, math.radians(90))
hook.keyframe_insert("rotation_euler", frame=25)
bpy.ops.object.light_add(type="SUN")
bpy.ops.object.camera_add()

bpy.ops.export_scene.fbx(filepath=folder + "/limb.fbx", add_leaf_bones=False, bake_anim_use_all_actions=False,
                         bake_anim_use_nla_strips=False, bake_anim_simplify_factor=0, **OPTIONS)
truth = {}
for frame in (1, 7, 13, 25):
    scene.frame_set(frame)
    graph = bpy.context.evaluated_depsgraph_get()
    points = {}
    for one in (limb, box):
        evaluated = one.evaluated_get(graph)
        mesh = evaluated.to_mesh()
        # Blender's +Z is up, and -Y is the front.
        points[one.name] = [(p.x, p.z, -p.y) for p in (evaluated.matrix_world @ v.co for v in mesh.vertices)]
        evaluated.to_mesh_clear()
    truth[frame] = points
with open(folder + "/truth.json", "w") as out:
    json.dump(truth, out)
'''
FRAMES_A_SECOND = 24
TOLERANCE_METERS = 2e-4
EXPORTS = {
    "as by default": "{}",
    "+Z up, units applied": '{"axis_up": "Z", "axis_forward": "-Y", "apply_scale_options": "FBX_SCALE_UNITS"}',
    "embedded": '{"path_mode": "COPY", "embed_textures": True}',
}


def fail(text):
    sys.exit("fbx: " + text)


def check(condition, text):
    if not condition:
        fail(text)


# ---- glTF 2.0, with section numbers of its specification

def read_glb(path):
    with open(path, "rb") as file:
        data = file.read()
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20:20 + size]), data[28 + size:]


def accessor(gltf, binary, index):  # 3.6.2
    one = gltf["accessors"][index]
    view = gltf["bufferViews"][one["bufferView"]]
    kind = {5121: "B", 5123: "H", 5125: "I", 5126: "f"}[one["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[one["type"]]
    start = view.get("byteOffset", 0) + one.get("byteOffset", 0)
    values = struct.unpack_from("<%d%s" % (one["count"] * width, kind), binary, start)
    return [values[i:i + width] for i in range(0, len(values), width)]


def product(a, b):  # of column-major matrices
    return [sum(a[4 * k + r] * b[4 * c + k] for k in range(4)) for c in range(4) for r in range(4)]


def matrix(t, q, s):  # 3.5.2
    x, y, z, w = q
    rows = ((1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)),
            (2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)),
            (2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)))
    return [v for c in range(3) for v in (*(rows[r][c] * s[c] for r in range(3)), 0)] + [*t, 1]


def apply(m, p):
    return [sum(m[4 * c + r] * v for c, v in enumerate((*p, 1))) for r in range(3)]


def sample(times, values, time, is_rotation):  # 3.11, appendix C
    if time <= times[0][0]:
        return values[0]
    if time >= times[-1][0]:
        return values[-1]
    at = next(i for i, (t,) in enumerate(times) if t > time)
    a, b, f = values[at - 1], values[at], (time - times[at - 1][0]) / (times[at][0] - times[at - 1][0])
    if not is_rotation:
        return [u + (v - u) * f for u, v in zip(a, b)]
    cosine = sum(u * v for u, v in zip(a, b))
    sign = -1 if cosine < 0 else 1
    angle = math.acos(min(abs(cosine), 1))
    if angle < 1e-6:
        return a
    u, v = math.sin((1 - f) * angle) / math.sin(angle), sign * math.sin(f * angle) / math.sin(angle)
    return [u * p + v * q for p, q in zip(a, b)]


def points_at(gltf, binary, time):
    nodes = [dict(n) for n in gltf["nodes"]]
    for channel in gltf["animations"][0]["channels"]:
        sampler = gltf["animations"][0]["samplers"][channel["sampler"]]
        path = channel["target"]["path"]
        times, values = (accessor(gltf, binary, sampler[k]) for k in ("input", "output"))
        nodes[channel["target"]["node"]][path] = sample(times, values, time, path == "rotation")
    world = {}

    def place(index, above):
        node = nodes[index]
        local = node.get("matrix") or matrix(node.get("translation", (0, 0, 0)), node.get("rotation", (0, 0, 0, 1)),
                                             node.get("scale", (1, 1, 1)))
        world[index] = product(above, local)
        for child in node.get("children", ()):
            place(child, world[index])

    for root in gltf["scenes"][0]["nodes"]:
        place(root, [float(i % 5 == 0) for i in range(16)])
    points = {}
    for index, node in enumerate(nodes):
        if "mesh" not in node:
            continue
        out = points.setdefault(node["name"], [])
        joints = None
        if "skin" in node:  # 3.7.3
            skin = gltf["skins"][node["skin"]]
            inverse = accessor(gltf, binary, skin["inverseBindMatrices"])
            joints = [product(world[j], m) for j, m in zip(skin["joints"], inverse)]
        for primitive in gltf["meshes"][node["mesh"]]["primitives"]:
            attributes = {k: accessor(gltf, binary, v) for k, v in primitive["attributes"].items()}
            for i, p in enumerate(attributes["POSITION"]):
                if joints is None:
                    out.append(apply(world[index], p))
                    continue
                moved = [0, 0, 0]
                for j, w in zip(attributes["JOINTS_0"][i], attributes["WEIGHTS_0"][i]):
                    moved = [m + w * v for m, v in zip(moved, apply(joints[j], p))]
                out.append(moved)
    return points


def apart(points, others):
    """The largest distance from one of the points to the nearest of the others."""
    cells = {}
    size = 0.05
    for p in others:
        cells.setdefault(tuple(math.floor(v / size) for v in p), []).append(p)
    worst = 0
    for p in points:
        cell = tuple(math.floor(v / size) for v in p)
        near = [q for dx in (-1, 0, 1) for dy in (-1, 0, 1) for dz in (-1, 0, 1)
                for q in cells.get((cell[0] + dx, cell[1] + dy, cell[2] + dz), ())]
        worst = max(worst, min((math.dist(p, q) for q in near), default=size))
    return worst


def run(assetc, blender, name, options):
    with tempfile.TemporaryDirectory() as folder:
        script = os.path.join(folder, "scene.py")
        with open(script, "w") as out:
            out.write(SCENE.replace("OPTIONS", options))
        made = subprocess.run([blender, "-b", "--factory-startup", "--python-exit-code", "1", "--python", script, "--", folder],
                              capture_output=True, text=True)
        check(made.returncode == 0, "Blender failed: " + made.stdout[-2000:] + made.stderr[-2000:])
        if "embed" in options:
            os.remove(os.path.join(folder, "bark.png"))
        glb = os.path.join(folder, "limb.glb")
        converted = subprocess.run([assetc, "convert", os.path.join(folder, "limb.fbx"), glb], capture_output=True, text=True)
        check(converted.returncode == 0, converted.stdout + converted.stderr)
        gltf, binary = read_glb(glb)
        names = sorted(m["name"] for m in gltf["materials"])
        check(names == ["Bark", "Paint", "Skin"], "materials are " + str(names))
        check({n["name"] for n in gltf["nodes"]} >= {"Limb", "Box", "Hook", "Rig", "Upper", "Lower"}, "nodes are missing")
        check(len(gltf.get("images", ())) == 1, "the picture is missing")
        times = [accessor(gltf, binary, s["input"]) for s in gltf["animations"][0]["samplers"]]
        check(abs(max(t[-1][0] for t in times) - 24 / FRAMES_A_SECOND) < 1e-4, "the clip is not 1 s long")
        with open(os.path.join(folder, "truth.json")) as file:
            truth = json.load(file)
        worst = 0
        for frame, expected in truth.items():
            found = points_at(gltf, binary, (int(frame) - 1) / FRAMES_A_SECOND)
            for mesh, points in expected.items():
                far = max(apart(points, found[mesh]), apart(found[mesh], points))
                check(far < TOLERANCE_METERS, f"{name}: {mesh} at frame {frame} is {far:.5f} m from where Blender has it")
                worst = max(worst, far)
        print(f"{name}: {len(truth)} frames of {sum(len(p) for p in truth['1'].values())} vertices, at most {worst:.1e} m apart")


def main():
    blender = shutil.which("blender")
    if not blender:
        print("skipped: Blender is not installed")
        sys.exit(77)
    for name, options in EXPORTS.items():
        run(sys.argv[1], blender, name, options)


main()
