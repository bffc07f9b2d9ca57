#!/usr/bin/env python3
"""Reads AAS1 blobs using only their specification and compares them with their sources.

    aas1.py AAS1_PROBE

Writes a model with two sets of texture coordinates, colors, a skin, levels of detail, materials with extensions and
embedded pictures, a picture file and a sound. The probe cooks them; the blobs are read with struct. Exits 1 on a
difference.
"""
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import uuid
import zlib

faults = 0


def expect(what, found, wanted):
    global faults
    if found != wanted:
        print(f"{what}: found {found!r}, expected {wanted!r}")
        faults += 1


def expect_near(what, found, wanted, tolerance=1e-6):
    global faults
    if len(found) != len(wanted) or any(abs(a - b) > tolerance for a, b in zip(found, wanted)):
        print(f"{what}: found {found!r}, expected {wanted!r}")
        faults += 1


# --- the reader ------------------------------------------------------------------------------------------------------

TYPES = {1: "Texture2D", 2: "Mesh", 3: "Material", 4: "Audio", 5: "Script", 6: "Redirector", 16: "TextureCube",
         17: "Texture2DArray", 18: "TextureCubeArray", 19: "Texture3D", 20: "Skeleton", 21: "Animation", 22: "Shader",
         23: "Raw", 24: "Model"}
SEMANTICS = ["position", "normal", "tangent", "texcoord", "color", "joints", "weights"]
FORMATS = {1: "<f", 2: "<2f", 3: "<3f", 4: "<4f", 16: "<2h", 17: "<2h", 18: "<4H", 19: "<4B"}


class Blob:
    def __init__(self, path):
        file = open(path, "rb").read()
        magic, version, self.type, self.flags, desc, data = struct.unpack_from("<IHBBII", file)
        assert magic == 0x31534141 and version == 1 and self.type in TYPES, path
        self.desc = file[16:16 + desc]
        self.data = file[16 + desc:16 + desc + data]
        assert len(self.data) == data, path
        self.extensions = {}
        at = 16 + desc + data
        if self.flags & 0x80:
            at += -at % 4
            count, = struct.unpack_from("<4xI", file, at)
            assert file[at:at + 4] == b"AASX"
            entries = [struct.unpack_from("<4sI", file, at + 8 + 8 * i) for i in range(count)]
            at += 8 + 8 * count
            for name, size in entries:
                self.extensions[name.decode()] = file[at:at + size]
                at += size + -size % 4
        assert at == len(file), path

    def name(self):
        return TYPES[self.type]

    def uuids(self, extension):
        bytes_ = self.extensions.get(extension, b"")
        return [str(uuid.UUID(bytes=bytes_[i:i + 16])) for i in range(0, len(bytes_), 16)]


def octahedral(x, y):
    u, v = max(x / 32767, -1), max(y / 32767, -1)
    z = 1 - abs(u) - abs(v)
    if z < 0:
        u, v = math.copysign(1 - abs(v), u), math.copysign(1 - abs(u), v)
    length = math.sqrt(u * u + v * v + z * z)
    return [u / length, v / length, z / length]


class Mesh:
    def __init__(self, blob):
        fields = struct.unpack_from("<12I6fI", blob.desc)
        (self.vertex_count, self.index_count, self.stride, index_type, attribute_count, submesh_count, attributes_at,
         submeshes_at, vertices_at, indices_at, vertices_size, indices_size) = fields[:12]
        self.bounds, self.flags = fields[12:18], fields[18]
        self.width = 2 if index_type == 0 else 4
        assert self.vertex_count and self.index_count and self.stride
        assert vertices_size == self.vertex_count * self.stride
        assert indices_size == self.index_count * self.width
        assert vertices_at + vertices_size <= len(blob.data) and indices_at + indices_size <= len(blob.data)
        self.data = blob.data
        self.vertices_at = vertices_at
        self.attributes = {}
        for i in range(attribute_count):
            semantic, index, fmt, slot, offset, instance, rate = struct.unpack_from("<7I", blob.data,
                                                                                    attributes_at + 28 * i)
            assert (slot, instance, rate) == (0, 0, 0)
            self.attributes[SEMANTICS[semantic], index] = (fmt, offset)
        self.levels = [(indices_at, self.index_count, self.submeshes(submeshes_at, submesh_count), 1.0)]
        if len(blob.desc) >= 84:
            count, table = struct.unpack_from("<2I", blob.desc, 76)
            self.levels = []
            for i in range(count):
                (vertices, indices, v_at, i_at, v_size, i_size, s_at, s_count, screen, *box) = struct.unpack_from(
                    "<8I7f", blob.data, table + 60 * i)
                assert v_at == vertices_at and vertices == self.vertex_count and v_size == vertices_size
                assert i_size == indices * self.width and i_at + i_size <= len(blob.data)
                self.levels.append((i_at, indices, self.submeshes(s_at, s_count), screen))
        self.materials = blob.uuids("MTRL")
        self.skeleton = blob.uuids("SKEL")

    def submeshes(self, at, count):
        return [struct.unpack_from("<2IiI", self.data, at + 16 * i) for i in range(count)]

    def indices(self, level):
        at, count, _, _ = self.levels[level]
        return struct.unpack_from(f"<{count}{'H' if self.width == 2 else 'I'}", self.data, at)

    def value(self, semantic, vertex, index=0):
        fmt, offset = self.attributes[semantic, index]
        values = struct.unpack_from(FORMATS[fmt], self.data, self.vertices_at + vertex * self.stride + offset)
        if fmt == 16:
            return octahedral(*values)
        if fmt == 17:
            return octahedral(values[0] & ~1, values[1]) + [-1.0 if values[0] & 1 else 1.0]
        return [v / 255 for v in values] if fmt == 19 else list(values)


def fnv1a32(name):
    h = 0x811c9dc5
    for b in name.encode():
        h = (h ^ b) * 0x01000193 & 0xffffffff
    return h


class Material:
    def __init__(self, blob):
        (self.model, self.blend, self.flags, self.cutoff, scalars, vectors, textures, s_at, v_at,
         t_at) = struct.unpack("<3If6I", blob.desc)
        self.scalars, self.vectors, self.textures = {}, {}, {}
        for i in range(scalars):
            name, value = struct.unpack_from("<If", blob.data, s_at + 8 * i)
            self.scalars[name] = value
        for i in range(vectors):
            name, *value = struct.unpack_from("<I4f", blob.data, v_at + 20 * i)
            self.vectors[name] = value
        for i in range(textures):
            name, id_, type_, flags = struct.unpack_from("<I16sB3xI", blob.data, t_at + 28 * i)
            assert type_ == 1
            self.textures[name] = (str(uuid.UUID(bytes=id_)), flags)


# --- the sources -----------------------------------------------------------------------------------------------------

def png(width, height, texel):
    rows = b"".join(b"\0" + bytes(c for x in range(width) for c in texel(x, y)) for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">2I5B", width, height, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


WIDE, HIGH = 20, 12


def wall(x, y):
    return (x * 12, y * 20, (x * y) % 256, 255 - x)


RINGS, SIDES = 40, 32


def tube():
    """A bent tube: RINGS + 1 rings of SIDES + 1 vertices with every attribute."""
    vertices = []
    for r in range(RINGS + 1):
        for s in range(SIDES + 1):
            a, t = 2 * math.pi * s / SIDES, r / RINGS
            n = [math.cos(a), math.sin(a), 0]
            p = [n[0] + 0.3 * math.sin(5 * t), n[1] * (1 + 0.2 * math.sin(9 * t)), 4 * t]
            vertices.append({"POSITION": p, "NORMAL": n, "TEXCOORD_0": [3 * s / SIDES, 1 - t],
                             "TEXCOORD_1": [t, s / SIDES - 2], "COLOR_0": [t, 0.5, 1 - t, 1],
                             "JOINTS_0": [0, 1, 2, 0], "WEIGHTS_0": weights(t)})
    indices = []
    for r in range(RINGS):
        for s in range(SIDES):
            a = r * (SIDES + 1) + s
            indices += [a, a + 1, a + SIDES + 2, a, a + SIDES + 2, a + SIDES + 1]
    return vertices, indices


def weights(t):
    w = [max(0, 1 - 2 * t), 1 - abs(2 * t - 1), max(0, 2 * t - 1), 0]
    return [x / sum(w) for x in w]


LAYOUT = {"POSITION": (5126, "VEC3", "f"), "NORMAL": (5126, "VEC3", "f"), "TEXCOORD_0": (5126, "VEC2", "f"),
          "TEXCOORD_1": (5126, "VEC2", "f"), "COLOR_0": (5126, "VEC4", "f"), "JOINTS_0": (5123, "VEC4", "H"),
          "WEIGHTS_0": (5126, "VEC4", "f")}


def model():
    vertices, indices = tube()
    buffer, views, accessors = bytearray(), [], []

    def add(data):
        views.append({"buffer": 0, "byteOffset": len(buffer), "byteLength": len(data)})
        buffer.extend(data + b"\0" * (-len(data) % 4))
        return len(views) - 1

    def accessor(data, kind, shape, count, **more):
        accessors.append({"bufferView": add(data), "componentType": kind, "type": shape, "count": count, **more})
        return len(accessors) - 1
    attributes = {}
    for name, (kind, shape, code) in LAYOUT.items():
        flat = [c for v in vertices for c in v[name]]
        more = {}
        if name == "POSITION":
            more = {"min": [min(v[name][i] for v in vertices) for i in range(3)],
                    "max": [max(v[name][i] for v in vertices) for i in range(3)]}
        attributes[name] = accessor(struct.pack(f"<{len(flat)}{code}", *flat), kind, shape, len(vertices), **more)
    half = len(indices) // 2
    parts = [accessor(struct.pack(f"<{len(part)}I", *part), 5125, "SCALAR", len(part))
             for part in (indices[:half], indices[half:])]
    identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    bind = b"".join(struct.pack("<16f", *identity[:14], -2.0 * j, 1) for j in range(3))
    inverse = accessor(bind, 5126, "MAT4", 3)
    times = accessor(struct.pack("<2f", 0, 1.5), 5126, "SCALAR", 2, min=[0], max=[1.5])
    moves = accessor(struct.pack("<6f", 0, 0, 2, 0.5, 0, 2), 5126, "VEC3", 2)
    picture = add(png(WIDE, HIGH, wall))
    other = add(png(4, 4, lambda x, y: (128, 128, 255, 255)))
    document = {
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "root", "children": [1, 2], "translation": [1, 2, 3]},
                  {"name": "tube", "mesh": 0, "skin": 0}, {"name": "hip", "children": [3]},
                  {"name": "knee", "children": [4], "translation": [0, 0, 2]},
                  {"name": "foot", "translation": [0, 0, 2]}],
        "skins": [{"joints": [2, 3, 4], "inverseBindMatrices": inverse}],
        "animations": [{"name": "nod", "samplers": [{"input": times, "output": moves}],
                        "channels": [{"sampler": 0, "target": {"node": 3, "path": "translation"}}]}],
        "meshes": [{"name": "Tube", "primitives": [
            {"attributes": attributes, "indices": parts[0], "material": 1},
            {"attributes": attributes, "indices": parts[1], "material": 0}]}],
        "images": [{"bufferView": picture, "mimeType": "image/png"}, {"bufferView": other, "mimeType": "image/png"},
                   {"uri": "wall.png"}],
        "samplers": [{"wrapS": 33071, "wrapT": 33648}],
        "textures": [{"source": 0, "sampler": 0}, {"source": 1}, {"source": 2}],
        "materials": [
            {"name": "Plain", "pbrMetallicRoughness": {"baseColorFactor": [0.5, 0.25, 0.125, 1], "metallicFactor": 0},
             "alphaMode": "MASK", "alphaCutoff": 0.25, "doubleSided": True, "emissiveFactor": [1, 0.5, 0],
             "extensions": {"KHR_materials_emissive_strength": {"emissiveStrength": 4}}},
            {"name": "Coat", "pbrMetallicRoughness": {
                "baseColorTexture": {"index": 0, "texCoord": 1, "extensions": {"KHR_texture_transform": {
                    "offset": [0.5, 0], "rotation": 0.25, "scale": [2, 3]}}},
                "roughnessFactor": 0.75},
             "normalTexture": {"index": 1, "scale": 0.5},
             "extensions": {
                 "KHR_materials_clearcoat": {"clearcoatFactor": 0.5, "clearcoatRoughnessFactor": 0.125,
                                             "clearcoatNormalTexture": {"index": 1, "scale": 2}},
                 "KHR_materials_sheen": {"sheenColorFactor": [1, 0.5, 0.25], "sheenColorTexture": {"index": 2}},
                 "KHR_materials_anisotropy": {"anisotropyStrength": 0.5},
                 "KHR_materials_transmission": {"transmissionFactor": 0.25},
                 "KHR_materials_volume": {"thicknessFactor": 2, "attenuationColor": [0.5, 1, 1],
                                          "attenuationDistance": 3},
                 "KHR_materials_ior": {"ior": 1.25},
                 "KHR_materials_specular": {"specularFactor": 0.5},
                 "KHR_materials_iridescence": {"iridescenceFactor": 1}}}],
        "extensionsUsed": ["KHR_texture_transform"], "bufferViews": views, "accessors": accessors,
        "buffers": [{"byteLength": len(buffer)}]}
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    total = 12 + 8 + len(text) + 8 + len(buffer)
    return (struct.pack("<4sII", b"glTF", 2, total) + struct.pack("<I4s", len(text), b"JSON") + text +
            struct.pack("<I4s", len(buffer), b"BIN\0") + bytes(buffer))


# --- the comparison --------------------------------------------------------------------------------------------------

def rounded(values):
    return tuple(struct.unpack("<f", struct.pack("<f", v))[0] + 0.0 for v in values)


def check_mesh(blob, assets):
    mesh = Mesh(blob)
    vertices, indices = tube()
    expect("flags", mesh.flags, 3)
    expect("materials", mesh.materials, [assets["tube.glb#Material/1"], assets["tube.glb#Material/0"]])
    expect("skeleton", mesh.skeleton, [assets["tube.glb#Skeleton/0"]])
    expect("attributes", sorted(mesh.attributes),
           [("color", 0), ("joints", 0), ("normal", 0), ("position", 0), ("tangent", 0), ("texcoord", 0),
            ("texcoord", 1), ("weights", 0)])
    names = {"POSITION": ("position", 0), "TEXCOORD_0": ("texcoord", 0), "TEXCOORD_1": ("texcoord", 1),
             "COLOR_0": ("color", 0)}

    def corner_of_source(i):
        return tuple(rounded(vertices[i][name]) for name in names)

    def corner_of_blob(i):
        return tuple(rounded(mesh.value(semantic, i, index)) for semantic, index in names.values())

    def turned(corners):
        least = corners.index(min(corners))
        return tuple(corners[least:] + corners[:least])

    def triangles(corner, list_):
        return sorted(turned([corner(i) for i in list_[t:t + 3]]) for t in range(0, len(list_), 3))
    found, half = mesh.indices(0), len(indices) // 2
    (first, count, base, slot), (first1, count1, base1, slot1) = mesh.levels[0][2]
    expect("submeshes", (first, count, base, slot, first1, count1, base1, slot1), (0, half, 0, 0, half, half, 0, 1))
    expect("triangles of submesh 0", triangles(corner_of_blob, found[:half]) == triangles(corner_of_source,
                                                                                        indices[:half]), True)
    expect("triangles of submesh 1", triangles(corner_of_blob, found[half:]) == triangles(corner_of_source,
                                                                                        indices[half:]), True)
    source_of = {corner_of_source(i): i for i in range(len(vertices))}
    worst = 0.0
    for v in range(mesh.vertex_count):
        source = vertices[source_of[corner_of_blob(v)]]
        worst = max(worst, math.dist(mesh.value("normal", v), source["NORMAL"]))
        by_joint = {}
        for joint, weight in zip(mesh.value("joints", v), mesh.value("weights", v)):
            by_joint[joint] = by_joint.get(joint, 0) + weight
        for joint, weight in zip(source["JOINTS_0"][:3], source["WEIGHTS_0"]):
            if abs(by_joint.get(joint, 0) - weight) > 1e-6:
                expect(f"weight of joint {joint} at vertex {v}", by_joint.get(joint, 0), weight)
    expect("normals within 0.008 degrees", worst < math.radians(0.008), True)
    for axis in range(3):
        all_ = [rounded(v["POSITION"])[axis] for v in vertices]
        expect(f"bounds of axis {axis}", (mesh.bounds[axis], mesh.bounds[3 + axis]), (min(all_), max(all_)))
    expect("levels of detail", len(mesh.levels), 3)
    for level in range(1, len(mesh.levels)):
        _, count, submeshes, screen = mesh.levels[level]
        expect(f"level {level} has fewer triangles", count < mesh.levels[level - 1][1], True)
        expect_near(f"screen size of level {level}", [screen], [math.sqrt(count / mesh.index_count)])
        expect(f"indices of level {level}", max(mesh.indices(level)) < mesh.vertex_count, True)
        expect(f"submeshes of level {level}", sum(s[1] for s in submeshes), count)
        expect(f"slots of level {level}", [s[3] for s in submeshes], [0, 1])
    return mesh


def check_materials(blobs, assets):
    plain = Material(blobs["tube.glb#Material/0"])
    expect("Plain", (plain.model, plain.blend, plain.flags, plain.cutoff), (0, 1, 1, 0.25))
    expect("Plain's base color", plain.vectors[fnv1a32("BaseColor")], [0.5, 0.25, 0.125, 1])
    expect("Plain's emission", plain.vectors[fnv1a32("Emissive")], [4, 2, 0, 0])
    expect("Plain's metallic", plain.scalars[fnv1a32("Metallic")], 0)
    expect("Plain's textures", plain.textures, {})
    coat = Material(blobs["tube.glb#Material/1"])
    expect("Coat", (coat.model, coat.blend, coat.flags), (0, 0, 0))
    for name, value in {"Roughness": 0.75, "NormalMapStrength": 0.5, "Clearcoat": 0.5, "ClearcoatRoughness": 0.125,
                        "ClearcoatNormalScale": 2, "SheenRoughness": 0, "AnisotropyStrength": 0.5,
                        "AnisotropyRotation": 0, "Transmission": 0.25, "Thickness": 2, "AttenuationDistance": 3,
                        "Ior": 1.25, "Specular": 0.5, "Iridescence": 1, "IridescenceThicknessMaximum": 400,
                        "BaseColorTexRotation": 0.25}.items():
        expect(f"Coat's {name}", coat.scalars.get(fnv1a32(name)), value)
    for name, value in {"SheenColor": [1, 0.5, 0.25, 0], "AttenuationColor": [0.5, 1, 1, 0],
                        "SpecularColor": [1, 1, 1, 0], "BaseColorTexTransform": [0.5, 0, 2, 3]}.items():
        expect(f"Coat's {name}", coat.vectors.get(fnv1a32(name)), value)
    clamp_mirror_set1 = 1 | 2 << 2 | 1 << 8
    for name, wanted in {"BaseColorTex": (assets["tube.glb#Texture2D/0"], clamp_mirror_set1),
                         "NormalTex": (assets["tube.glb#Texture2D/1"], 0),
                         "ClearcoatNormalTex": (assets["tube.glb#Texture2D/1"], 0),
                         "SheenColorTex": (assets["wall.png"], 0)}.items():
        expect(f"Coat's {name}", coat.textures.get(fnv1a32(name)), wanted)
    expect("number of Coat's textures", len(coat.textures), 4)


def check_texture(name, blob):
    width, height, fmt, mips, pitch = struct.unpack("<5I", blob.desc)
    expect(f"{name}", (width, height, fmt, mips, pitch, blob.flags & 1), (WIDE, HIGH, 3, 5, WIDE * 4, 1))
    texels = bytes(c for y in range(HIGH) for x in range(WIDE) for c in wall(x, y))
    expect(f"texels of {name}", blob.data[:len(texels)] == texels, True)
    sizes = [(max(1, WIDE >> m), max(1, HIGH >> m)) for m in range(mips)]
    expect(f"bytes of {name}", len(blob.data), sum(w * h * 4 for w, h in sizes))


RATE, FRAMES, LOOP = 8000, 10000, (250, 7999)


def beep():
    samples = [round(9000 * math.sin(f * 0.05)) for f in range(FRAMES)]
    chunks = [(b"fmt ", struct.pack("<2H2I2H", 1, 1, RATE, 2 * RATE, 2, 16)),
              (b"data", struct.pack(f"<{FRAMES}h", *samples)),
              (b"smpl", struct.pack("<9I6I", 0, 0, 0, 60, 0, 0, 0, 1, 0, 0, 0, *LOOP, 0, 0))]
    body = b"WAVE" + b"".join(name + struct.pack("<I", len(data)) + data for name, data in chunks)
    return samples, b"RIFF" + struct.pack("<I", len(body)) + body


def ogg_crc(page):
    crc = 0
    for byte in page:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ 0x04c11db7 if crc & 0x80000000 else crc << 1) & 0xffffffff
    return crc


def check_sound(blob, codec):
    (found, fmt, channels, rate, frames, count, per_chunk, table, at, size) = struct.unpack("<10I", blob.desc)
    expect("sound", (found, fmt, channels, rate, frames, per_chunk), (codec, 1, 1, RATE, FRAMES, RATE // 2))
    expect("chunks", count, math.ceil(FRAMES / per_chunk))
    expect("loop", struct.unpack("<4I", blob.extensions["LOOP"]), (LOOP[0], LOOP[1] + 1, 0, 0))
    chunks = [struct.unpack_from("<2I", blob.data, table + 8 * c) for c in range(count)]
    expect("chunks fill the sound", (chunks[0][0], sum(c[1] for c in chunks)), (at, size))
    if codec == 1:
        expect("samples", list(struct.unpack_from(f"<{FRAMES}h", blob.data, at)), beep()[0])
        return
    for c, (offset, length) in enumerate(chunks):
        stream, page_at, granule = blob.data[offset:offset + length], 0, 0
        while page_at < length:  # RFC 3533
            segments = stream[page_at + 26]
            page_size = 27 + segments + sum(stream[page_at + 27:page_at + 27 + segments])
            page = bytearray(stream[page_at:page_at + page_size])
            granule, serial, _, crc = struct.unpack_from("<qIII", page, 6)
            page[22:26] = bytes(4)
            expect("page", (bytes(page[:4]), serial, crc), (b"OggS", 1, ogg_crc(page)))
            page_at += page_size
        expect(f"frames of chunk {c}", granule, min(per_chunk, FRAMES - c * per_chunk))


def check_tree(blobs, assets):
    count, at, names_at, names_size = struct.unpack("<4I", blobs["tube.glb"].desc)
    nodes = [struct.unpack_from("<2i16s16s10f", blobs["tube.glb"].data, at + 80 * n) for n in range(count)]
    expect("parents", [n[0] for n in nodes], [-1, 0, 0, 2, 3])
    expect("mesh", str(uuid.UUID(bytes=nodes[1][2])), assets["tube.glb#Mesh/0"])
    expect("skeleton of a node", str(uuid.UUID(bytes=nodes[1][3])), assets["tube.glb#Skeleton/0"])
    expect("translation", list(nodes[0][4:7]), [1, 2, 3])
    expect("names are there", b"knee" in blobs["tube.glb"].data[names_at:names_at + names_size], True)

    skeleton = blobs["tube.glb#Skeleton/0"]
    joints, joints_at, _, _ = struct.unpack("<4I", skeleton.desc)
    expect("joints", joints, 3)
    for j in range(joints):
        values = struct.unpack_from("<16f3f4f3fiI", skeleton.data, joints_at + 112 * j)
        expect(f"inverse bind of joint {j}", values[14], -2.0 * j)
        expect(f"parent of joint {j}", values[26], j - 1)
    expect("nodes of joints", struct.unpack("<3I", skeleton.extensions["NODE"]), (2, 3, 4))

    clip = blobs["tube.glb#Animation/0"]
    encoding, at, size, _ = struct.unpack("<4s3I", clip.desc)
    expect("encoding", encoding, b"HANM")
    expect("clip", clip.data[at:at + 4] + clip.data[at + 4:at + size][:0], b"HANM")
    expect("clip's name", b"nod" in clip.data, True)
    expect("clip's model", clip.uuids("MODL"), [assets["tube.glb"]])


def main():
    probe = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        sources, out = os.path.join(folder, "in"), os.path.join(folder, "out")
        os.makedirs(sources)
        os.makedirs(out)
        open(os.path.join(sources, "tube.glb"), "wb").write(model())
        open(os.path.join(sources, "wall.png"), "wb").write(png(WIDE, HIGH, wall))
        open(os.path.join(sources, "beep.wav"), "wb").write(beep()[1])
        for name, codec in (("pcm", 1), ("vorbis", 2)):
            done = subprocess.run([probe, sources, "beep.wav", folder, "audio.codec", name, "audio.chunk", "0.5"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                print(done.stdout + done.stderr)
                return 1
            check_sound(Blob(os.path.join(folder, done.stdout.split()[0] + ".bin")), codec)
        done = subprocess.run([probe, sources, "tube.glb", out, "texture.format", "rgba8", "mesh.lods", "2"],
                              capture_output=True, text=True)
        if done.returncode != 0:
            print(done.stdout + done.stderr)
            return 1
        lines = [line for line in done.stdout.splitlines() if not line.startswith("#")]
        assets = {asset: id_ for id_, asset in (line.split(" ", 1) for line in lines)}
        blobs = {asset: Blob(os.path.join(out, id_ + ".bin")) for asset, id_ in assets.items()}
        expect("types", {asset: blob.name() for asset, blob in blobs.items()}, {
            "tube.glb": "Model", "tube.glb#Mesh/0": "Mesh", "tube.glb#Material/0": "Material",
            "tube.glb#Material/1": "Material", "tube.glb#Skeleton/0": "Skeleton", "tube.glb#Animation/0": "Animation",
            "tube.glb#Texture2D/0": "Texture2D", "tube.glb#Texture2D/1": "Texture2D", "wall.png": "Texture2D"})
        expect("files", len(os.listdir(out)), len(blobs))
        mesh = check_mesh(blobs["tube.glb#Mesh/0"], assets)
        check_materials(blobs, assets)
        check_texture("the embedded picture", blobs["tube.glb#Texture2D/0"])
        check_texture("the picture beside it", blobs["wall.png"])
        check_tree(blobs, assets)
        print(f"{len(blobs)} blobs and 2 sounds read; {mesh.vertex_count} vertices, levels of "
              f"{', '.join(str(level[1] // 3) for level in mesh.levels)} triangles; {faults} faults")
    return 1 if faults else 0


sys.exit(main())
