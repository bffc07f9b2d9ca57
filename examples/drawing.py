"""Drawing functions for the makers of examples/demo/assets and tests/data/corpus. Python's standard library only."""
import json
import math
import struct
import zlib


# --- pictures ----------------------------------------------------------------------------------------------------------

def png(width, height, channels, pixel):
    """An image from pixel(x, y), which returns a tuple of channel values in [0, 1]."""
    rows = bytearray()
    previous = bytes(width * channels)
    for y in range(height):
        row = bytearray()
        for x in range(width):
            row += bytes(max(0, min(255, int(v * 255 + 0.5))) for v in pixel(x, y))
        # The Up filter turns smooth pictures into small differences.
        rows.append(2)
        rows += bytes((a - b) & 255 for a, b in zip(row, previous))
        previous = bytes(row)
    color_type = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    chunks = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", struct.pack(">IIBBBBB", width, height, 8, color_type, 0, 0, 0)),
                       (b"IDAT", zlib.compress(bytes(rows), 9)), (b"IEND", b"")):
        chunks += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return chunks


# --- noise -----------------------------------------------------------------------------------------------------------

def hash01(x, y, seed):
    h = (x * 374761393 + y * 668265263 + seed * 1274126177) & 0xffffffff
    h = ((h ^ (h >> 13)) * 1274126177) & 0xffffffff
    return ((h ^ (h >> 16)) & 0xffff) / 65535.0


def mix(a, b, t):
    if isinstance(a, tuple):
        return tuple(mix(p, q, t) for p, q in zip(a, b))
    return a + (b - a) * t


def smooth(low, high, x):
    t = max(0.0, min(1.0, (x - low) / (high - low)))
    return t * t * (3 - 2 * t)


def noise(u, v, period, seed):
    """Value noise that repeats over [0, 1) in both directions."""
    x, y = u * period, v * period
    i, j = math.floor(x), math.floor(y)
    s, t = smooth(0, 1, x - i), smooth(0, 1, y - j)
    corner = lambda a, b: hash01((i + a) % period, (j + b) % period, seed)
    return mix(mix(corner(0, 0), corner(1, 0), s), mix(corner(0, 1), corner(1, 1), s), t)


def fractal(u, v, period, seed, octaves=4):
    total = weight = 0.0
    for octave in range(octaves):
        total += noise(u, v, period << octave, seed + octave) / (1 << octave)
        weight += 1.0 / (1 << octave)
    return total / weight


def normal_map(size, height, strength):
    """A tangent-space normal map (Y up) of a repeating height field."""
    grid = [[height((x + 0.5) / size, (y + 0.5) / size) for x in range(size)] for y in range(size)]

    def pixel(x, y):
        dx = (grid[y][(x + 1) % size] - grid[y][x - 1]) * strength
        dy = (grid[(y + 1) % size][x] - grid[y - 1][x]) * strength
        length = math.sqrt(dx * dx + dy * dy + 1)
        return (0.5 - 0.5 * dx / length, 0.5 + 0.5 * dy / length, 0.5 + 0.5 / length)

    return pixel


# --- glTF --------------------------------------------------------------------------------------------------------------

class Gltf:
    """Collects accessors into one buffer."""

    def __init__(self, generator):
        self.buffer = bytearray()
        self.json = {"asset": {"version": "2.0", "generator": generator}, "bufferViews": [], "accessors": []}

    def view(self, data, target=None):
        while len(self.buffer) % 4:
            self.buffer.append(0)
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": len(data)}
        if target:
            view["target"] = target
        self.buffer += data
        self.json["bufferViews"].append(view)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, rows, kind, code, target=None, bounds=False):
        width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}[kind]
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        data = struct.pack("<" + code * (width * len(rows)), *(v for row in rows for v in row))
        accessor = {"bufferView": self.view(data, target), "count": len(rows), "type": kind,
                    "componentType": {"f": 5126, "I": 5125, "H": 5123, "B": 5121}[code]}
        if bounds:
            packed = [struct.unpack("<" + code * width, struct.pack("<" + code * width, *row)) for row in rows]
            accessor["min"] = [min(row[i] for row in packed) for i in range(width)]
            accessor["max"] = [max(row[i] for row in packed) for i in range(width)]
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def primitive(self, surface, material):
        attributes = {"POSITION": self.accessor(surface["position"], "VEC3", "f", 34962, True),
                      "NORMAL": self.accessor(surface["normal"], "VEC3", "f", 34962),
                      "TEXCOORD_0": self.accessor(surface["uv"], "VEC2", "f", 34962)}
        if "joints" in surface:
            attributes["JOINTS_0"] = self.accessor(surface["joints"], "VEC4", "B", 34962)
            attributes["WEIGHTS_0"] = self.accessor(surface["weights"], "VEC4", "f", 34962)
        return {"attributes": attributes, "indices": self.accessor(surface["index"], "SCALAR", "H", 34963), "material": material}

    def glb(self):
        while len(self.buffer) % 4:
            self.buffer.append(0)
        self.json["buffers"] = [{"byteLength": len(self.buffer)}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        chunks = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(self.buffer), 0x004E4942) + bytes(self.buffer)
        return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def lathe(profile, segments, turns=1.0):
    """A surface of revolution around Y; profile: (radius, height) from bottom to top, outside to the right."""
    lengths = [0.0]
    for (r0, h0), (r1, h1) in zip(profile, profile[1:]):
        lengths.append(lengths[-1] + math.hypot(r1 - r0, h1 - h0))
    position, normal, uv, index = [], [], [], []
    for i, (radius, height) in enumerate(profile):
        r0, h0 = profile[max(i - 1, 0)]
        r1, h1 = profile[min(i + 1, len(profile) - 1)]
        length = math.hypot(r1 - r0, h1 - h0) or 1.0
        out, up = (h1 - h0) / length, (r0 - r1) / length
        for s in range(segments + 1):
            angle = 2 * math.pi * s / segments
            c, n = math.cos(angle), math.sin(angle)
            position.append((radius * c, height, radius * n))
            normal.append((out * c, up, out * n))
            uv.append((turns * s / segments, 1 - lengths[i] / lengths[-1]))
    row = segments + 1
    for i in range(len(profile) - 1):
        for s in range(segments):
            a, b, c, d = i * row + s, i * row + s + 1, (i + 1) * row + s, (i + 1) * row + s + 1
            if profile[i][0] > 1e-6:
                index += [a, c, b]
            if profile[i + 1][0] > 1e-6:
                index += [b, c, d]
    return {"position": position, "normal": normal, "uv": uv, "index": index}


def bevelled(points, bevel=0.012):
    """A profile whose corners are cut, so that edges catch the light."""
    out = [points[0]]
    for before, point, after in zip(points, points[1:], points[2:]):
        for other in (before, after):
            length = math.hypot(other[0] - point[0], other[1] - point[1])
            t = min(bevel / length, 0.4) if length else 0
            out.append(mix(point, other, t))
    return out + [points[-1]]
