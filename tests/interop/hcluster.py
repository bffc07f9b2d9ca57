"""Tests files of .hcluster that assetc writes with a reader that was written using only the document of the format.

    python3 hcluster.py ASSETC

Compares the triangles of the source with those of an OBJ, and the joints, weights and offsets by morph targets with
those of a glTF. Checks that cuts of the levels cover the closed surface.
"""
import array
import base64
import collections
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # the folder of the sources stays clean
from hcluster_reader import NONE, File, f32, octahedral, require, value


def check_tables(file):
    require(len(file.clusters) == file.cluster_count, "another number of clusters")
    require(sum(len(c.triangles) for c in file.clusters) == file.triangles, "another number of triangles")
    require(file.level_count == 1 + max(g.level for g in file.groups), "another number of levels")
    require(math.isinf(file.groups[0].error), "group 0 is replaced")
    contains = lambda outer, inner: math.dist(outer.center, inner.center) + inner.radius <= outer.radius * (1 + 1e-5)
    for c in file.clusters:
        group = file.groups[c.group]
        if c.refined == NONE:
            require(group.level == 0, "a cluster of the source is above level 0")
        else:
            refined = file.groups[c.refined]
            require(refined.error <= group.error, "an error decreases towards the root")
            require(refined.level < group.level, "a level decreases towards the root")
            require(contains(group, refined), "a sphere does not contain the group that its clusters replace")
        shift = file.box_shift
        for row in c.rows:
            position = value(file.channels[0], row, 0)
            require(math.dist(position, group.center) <= group.radius * (1 + 1e-5) + 2 * file.position_error,
                    "a vertex is outside of the sphere of its group")
            require(all(low << shift <= v <= ((high + 1) << shift) - 1 for low, v, high in zip(c.low, row, c.high)),
                    "a vertex is outside of its box")
    seen = []
    todo = [0]
    while todo:
        number = todo.pop()
        node = file.nodes[number]
        require(1 <= node.count <= 8, "a node has too many children")
        children = range(node.first, node.first + node.count)
        for child in children:
            item = file.groups[child] if node.has_groups else file.nodes[child]
            require(contains(node, item) and item.error <= node.error, "a node does not contain its children")
        if node.has_groups:
            seen += children
        else:
            require(node.first > number, "a child comes before its parent")
            todo += children
    require(sorted(seen) == list(range(len(file.groups))), "nodes do not hold every group once")


def check_source(file, triangles):
    """triangles: (material name, three corners of position, texture coordinate and normal)."""
    position, _ = file.find(0)
    texcoord, at_texcoord = file.find(3)
    normal, at_normal = file.find(1)
    source = collections.defaultdict(list)
    grid = lambda p: tuple(math.floor((p[k] - position.minimum[k]) / position.step + 0.5) for k in range(3))
    for material, corners in triangles:
        keys = [grid(c[0]) for c in corners]
        turn = keys.index(min(keys))
        source[tuple(keys[turn:] + keys[:turn])].append((material, corners[turn:] + corners[:turn]))
    names = {}
    count = 0
    for c in file.clusters:
        if c.refined != NONE:
            continue
        for triangle, number in zip(c.triangles, c.materials):
            rows = [c.rows[v] for v in triangle]
            keys = [tuple(row[:3]) for row in rows]
            turn = keys.index(min(keys))
            rows = rows[turn:] + rows[:turn]
            found = source[tuple(keys[turn:] + keys[:turn])]
            require(found, "a triangle is not in the source, or once too often")
            material, corners = found.pop()
            require(names.setdefault(number, material) == material, "a triangle has another material")
            for row, corner in zip(rows, corners):
                for channel, first, expected in ((position, 0, corner[0]), (texcoord, at_texcoord, corner[1]),
                                                 (normal, at_normal, octahedral(corner[2]))):
                    slack = 1e-6 * max(1, *map(abs, expected))
                    for got, wanted in zip(value(channel, row, first), expected):
                        require(abs(got - wanted) <= channel.error + slack,
                                f"semantic {channel.semantic}: {got} instead of {wanted}")
            count += 1
    require(count == len(triangles) == file.source_triangles, "triangles of the source are missing")
    require(len(names) == len(set(names.values())) == 2, "not two materials")


def check_cut(clusters):
    """Every edge of a closed surface has as many triangles in one direction as in the other."""
    edges = collections.Counter()
    for c in clusters:
        keys = [tuple(row[:3]) for row in c.rows]
        for a, b, d in c.triangles:
            for p, q in ((a, b), (b, d), (d, a)):
                if keys[p] != keys[q]:
                    edges[min((keys[p], keys[q]), (keys[q], keys[p]))] += 1 if keys[p] < keys[q] else -1
    require(not any(edges.values()), "a cut has an open edge")
    return sum(len(c.triangles) for c in clusters)


# ---- A source ----

def torus(rings, sides, offset):
    """Lines of an OBJ with texture coordinates, normals and two materials, and its triangles."""
    lines, triangles = ["mtllib torus.mtl"], []
    vertices = {}
    for i in range(rings + 1):
        for j in range(sides + 1):
            a, b = 2 * math.pi * (i % rings) / rings, 2 * math.pi * (j % sides) / sides
            wave = 0.4 + 0.03 * math.sin(5 * a) * math.cos(3 * b)
            p = ((1 + wave * math.cos(b)) * math.cos(a), wave * math.sin(b), (1 + wave * math.cos(b)) * math.sin(a))
            p = [f32(f"{x + o:.6f}") for x, o in zip(p, offset)]
            n = [f32(f"{x:.6f}") for x in (math.cos(b) * math.cos(a), math.sin(b), math.cos(b) * math.sin(a))]
            t = [f32(f"{3 * i / rings:.6f}"), f32(f"{j / sides:.6f}")]
            vertices[i, j] = p, (t[0], 1 - t[1]), n
            lines += ["v {:.9g} {:.9g} {:.9g}".format(*p), "vt {:.9g} {:.9g}".format(*t), "vn {:.9g} {:.9g} {:.9g}".format(*n)]
    number = lambda i, j: i * (sides + 1) + j + 1
    for i in range(rings):
        material = "stone" if i < rings // 3 else "wood"
        if i in (0, rings // 3):
            lines.append("usemtl " + material)
        for j in range(sides):
            for corners in (((i, j), (i, j + 1), (i + 1, j)), ((i + 1, j), (i, j + 1), (i + 1, j + 1))):
                lines.append("f " + " ".join("{0}/{0}/{0}".format(number(*c)) for c in corners))
                triangles.append((material, [vertices[c] for c in corners]))
    return "\n".join(lines) + "\n", triangles


# ---- A skinned source ----

JOINTS = 12


def skinned_gltf(rings, sides):
    """A torus whose joints follow each other around it. Returns the text of a glTF and the influences of positions."""
    positions, normals, joints, weights, indices, influences = [], [], [], [], [], {}
    for i in range(rings):
        for j in range(sides):
            a, b = 2 * math.pi * i / rings, 2 * math.pi * j / sides
            n = (math.cos(b) * math.cos(a), math.sin(b), math.cos(b) * math.sin(a))
            p = tuple(f32(x) for x in ((1 + 0.3 * math.cos(b)) * math.cos(a), 0.3 * math.sin(b),
                                       (1 + 0.3 * math.cos(b)) * math.sin(a)))
            at = JOINTS * i / rings
            part = f32(at % 1)
            positions += p
            normals += n
            joints += [(int(at) + 1) % JOINTS, int(at), 0, 0]
            weights += [part, 1 - part, 0, 0]
            influences[p] = {(int(at) + 1) % JOINTS: part, int(at): 1 - part}
            k = lambda x, y: (i + x) % rings * sides + (j + y) % sides
            indices += [k(0, 0), k(0, 1), k(1, 0), k(1, 0), k(0, 1), k(1, 1)]
    parts = [(array.array("f", positions), 5126, "VEC3"), (array.array("f", normals), 5126, "VEC3"),
             (array.array("H", joints), 5123, "VEC4"), (array.array("f", weights), 5126, "VEC4"),
             (array.array("I", indices), 5125, "SCALAR")]
    data, views, accessors = b"", [], []
    for values, component, kind in parts:
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(values) * values.itemsize})
        accessors.append({"bufferView": len(accessors), "componentType": component, "type": kind,
                          "count": len(values) // {"VEC3": 3, "VEC4": 4, "SCALAR": 1}[kind]})
        data += values.tobytes()
    accessors[0].update(min=[min(positions[k::3]) for k in range(3)], max=[max(positions[k::3]) for k in range(3)])
    turns = [2 * math.pi * (j + 0.5) / JOINTS for j in range(JOINTS)]
    nodes = [{"name": f"joint {j}", "translation": [math.cos(t), 0, math.sin(t)]} for j, t in enumerate(turns)]
    nodes.append({"name": "root", "children": list(range(JOINTS))})
    nodes.append({"mesh": 0, "skin": 0})
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [JOINTS, JOINTS + 1]}], "nodes": nodes,
            "skins": [{"joints": list(range(JOINTS))}], "bufferViews": views, "accessors": accessors,
            "buffers": [{"byteLength": len(data),
                         "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1, "JOINTS_0": 2, "WEIGHTS_0": 3},
                                        "indices": 4}]}]}
    return json.dumps(gltf), influences


def check_skin(file, influences):
    """Every vertex of every level has the joints of the source at its position, within the stated error."""
    position, _ = file.find(0)
    joints, at_joints = file.find(5)
    weights, at_weights = file.find(6)
    require((joints.minimum, joints.step, joints.error) == ((0.0,) * 4, 1.0, 0.0), "joints are not whole numbers")
    require(len(file.joints) == JOINTS and len(file.poses) == 1, "another skeleton, or no bounds of the rest pose")
    require(file.skin_weight > 0 and weights.error <= 1 / 255, "no weight of joints, or a large error")
    grid = lambda p: tuple(math.floor((p[k] - position.minimum[k]) / position.step + 0.5) for k in range(3))
    source = {grid(p): expected for p, expected in influences.items()}
    require(len(source) == len(influences), "two vertices of the source have one place in the grid")
    for c in file.clusters:
        for row in c.rows:
            expected = source[tuple(row[:3])]
            numbers = row[at_joints:at_joints + 4]
            values = value(weights, row, at_weights)
            require(abs(sum(values) - 1) <= 1e-6, "weights do not sum to 1")
            require(all(number < JOINTS for number in numbers), "a joint does not exist")
            found = {number: v for number, v in zip(numbers, values) if v > 0}
            for joint in found.keys() | expected.keys():
                require(abs(found.get(joint, 0) - expected.get(joint, 0)) <= weights.error + 1e-6,
                        f"joint {joint} has the weight {found.get(joint, 0)} instead of {expected.get(joint, 0)}")


# ---- A source with morph targets ----

MORPHS = 20


def morphed_gltf(rings, sides):
    """A torus that bulges at many places. Returns the text of a glTF, and the offsets of each target by positions."""
    positions, normals, indices = [], [], []
    for i in range(rings):
        for j in range(sides):
            a, b = 2 * math.pi * i / rings, 2 * math.pi * j / sides
            normals.append((math.cos(b) * math.cos(a), math.sin(b), math.cos(b) * math.sin(a)))
            positions.append(tuple(f32(x) for x in ((1 + 0.3 * math.cos(b)) * math.cos(a), 0.3 * math.sin(b),
                                                    (1 + 0.3 * math.cos(b)) * math.sin(a))))
            k = lambda x, y: (i + x) % rings * sides + (j + y) % sides
            indices += [k(0, 0), k(0, 1), k(1, 0), k(1, 0), k(0, 1), k(1, 1)]
    parts = [("f", [x for p in positions for x in p], 5126, "VEC3"), ("f", [x for n in normals for x in n], 5126, "VEC3"),
             ("I", indices, 5125, "SCALAR")]
    expected = []
    for t in range(MORPHS):
        turn = 2 * math.pi * t / MORPHS
        center = (math.cos(turn), 0.3 * math.sin(3 * turn), math.sin(turn))
        offsets, moved = [], {}
        for p, n in zip(positions, normals):
            near = max(0.0, 1 - math.dist(p, center) / 0.6) ** 2 * (0.1 + 0.01 * t)
            offset = [f32(x * near) for x in n]
            offsets += offset
            if any(offset):
                moved[p] = offset
        parts.append(("f", offsets, 5126, "VEC3"))
        expected.append(moved)
    data, views, accessors = b"", [], []
    for code, values, component, kind in parts:
        packed = array.array(code, values)
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(packed) * packed.itemsize})
        width = {"VEC3": 3, "SCALAR": 1}[kind]
        accessors.append({"bufferView": len(accessors), "componentType": component, "type": kind,
                          "count": len(packed) // width})
        if kind == "VEC3":
            accessors[-1].update(min=[min(packed[k::3]) for k in range(3)], max=[max(packed[k::3]) for k in range(3)])
        data += packed.tobytes()
    gltf = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"mesh": 0}],
            "bufferViews": views, "accessors": accessors,
            "buffers": [{"byteLength": len(data),
                         "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}],
            "meshes": [{"weights": [0.5] * MORPHS, "extras": {"targetNames": [f"bulge {t}" for t in range(MORPHS)]},
                        "primitives": [{"attributes": {"POSITION": 0, "NORMAL": 1}, "indices": 2,
                                        "targets": [{"POSITION": 3 + t} for t in range(MORPHS)]}]}]}
    return json.dumps(gltf), expected


def check_morphs(file, expected):
    """Every vertex of every level has the offsets of the source at its position, within half a step."""
    require([t.name for t in file.targets] == [f"bulge {t}" for t in range(MORPHS)], "other names of targets")
    require(all((t.weight, t.low, t.high) == (0.5, 0, 1) for t in file.targets), "other weights of targets")
    position, _ = file.find(0)
    grid = lambda p: tuple(math.floor((p[k] - position.minimum[k]) / position.step + 0.5) for k in range(3))
    expected = [{grid(p): offset for p, offset in moved.items()} for moved in expected]
    count = 0
    for c in file.clusters:
        for v, row in enumerate(c.rows):
            for t, target in enumerate(file.targets):
                step = target.steps[0]
                found = [step * n for n in c.offsets.get((t, 0, 0), {}).get(v, (0, 0, 0))]
                wanted = expected[t].get(tuple(row[:3]), (0, 0, 0))
                require(all(abs(a - b) <= step / 2 * (1 + 1e-5) for a, b in zip(found, wanted)),
                        f"an offset of target {t} is {found} instead of {wanted}")
                require(math.hypot(*found) <= target.radius * (1 + 1e-6), "an offset is longer than its radius")
                count += any(found)
    for k in range(3):
        for sign, bound in ((-1, -file.bounds[k]), (1, file.bounds[3 + k])):
            farthest = max(sign * (position.minimum[k] + position.step * row[k]) +
                           sum(max(0, sign * file.targets[t].steps[0] * moved[v][k])
                               for (t, attribute, _), moved in c.offsets.items() if attribute == 0 and v in moved)
                           for c in file.clusters for v, row in enumerate(c.rows))
            require(abs(farthest - bound) < 1e-3, f"the bounds reach to {bound} instead of {farthest}")
    return count


def main():
    source = random.Random(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        folder.joinpath("torus.mtl").write_text("newmtl wood\nKd 0.5 0.3 0.1\nnewmtl stone\nKd 0.5 0.5 0.5\n")
        for rings, sides, offset in ((160, 64, (0, 0, 0)), (5, 3, (1000, -20, 3))):
            text, triangles = torus(rings, sides, offset)
            folder.joinpath("torus.obj").write_text(text)
            subprocess.run([sys.argv[1], "convert", "torus.obj", "torus.hcluster"], cwd=folder, check=True,
                           stdout=subprocess.DEVNULL)
            file = File(folder.joinpath("torus.hcluster").read_bytes())
            check_tables(file)
            check_source(file, triangles)
            require(check_cut(file.cut(-1, lambda g: g.error)) == len(triangles), "the finest cut is not the source")
            errors = sorted(g.error for g in file.groups if not math.isinf(g.error))
            counts = [check_cut(file.cut(error, lambda g: g.error)) for error in errors]
            require(counts == sorted(counts, reverse=True), "a larger error has more triangles")
            if errors:
                require(counts[-1] * 8 < len(triangles), f"the root has {counts[-1]} of {len(triangles)} triangles")
            for _ in range(20):
                eye = [o + source.uniform(-4, 4) for o in offset]
                measure = lambda g: g.error / max(math.dist(eye, g.center) - g.radius, 0.01)
                require(check_cut(file.cut(math.exp(source.uniform(-9, 0)), measure)) > 0, "a view draws nothing")
            print(f"hcluster: {len(triangles)} triangles in {len(file.clusters)} clusters, {file.level_count} levels and "
                  f"{len(file.pages)} pages; {len(counts)} cuts of an error and 20 of a view are closed")
        text, influences = skinned_gltf(144, 40)
        folder.joinpath("skinned.gltf").write_text(text)
        subprocess.run([sys.argv[1], "convert", "skinned.gltf", "skinned.hcluster"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        file = File(folder.joinpath("skinned.hcluster").read_bytes())
        check_tables(file)
        check_skin(file, influences)
        counts = [check_cut(file.cut(g.error, lambda g: g.error)) for g in file.groups if not math.isinf(g.error)]
        print(f"hcluster: {file.source_triangles} skinned triangles in {len(file.clusters)} clusters; {len(counts)} cuts "
              f"are closed, the smallest has {min(counts)} triangles")
        text, expected = morphed_gltf(144, 40)
        folder.joinpath("morphed.gltf").write_text(text)
        subprocess.run([sys.argv[1], "convert", "morphed.gltf", "morphed.hcluster"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        file = File(folder.joinpath("morphed.hcluster").read_bytes())
        check_tables(file)
        moves = check_morphs(file, expected)
        counts = [check_cut(file.cut(g.error, lambda g: g.error)) for g in file.groups if not math.isinf(g.error)]
        print(f"hcluster: {file.source_triangles} triangles with {MORPHS} morph targets and {moves} moves in "
              f"{len(file.clusters)} clusters; {len(counts)} cuts are closed, the smallest has {min(counts)} triangles")
    return 0


sys.exit(main())
