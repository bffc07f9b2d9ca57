"""A reader of .hcluster, written using only docs/formats/hcluster.md. Values are checked where the document says so."""
import array
import collections
import math
import struct

NONE, SEVERAL, NO_MATERIAL = 0xffffffff, 0xffff, 0xfffe


def require(holds, what):
    if not holds:
        raise SystemExit("hcluster.py: " + what)


# ---- XXH3-64 of more than 240 bytes: github.com/Cyan4973/xxHash, doc/xxhash_spec.md ----

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221b8084674f743248e"
    "e03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8a8fa763fe39c343ff9dcbbc7c70b4f1d"
    "8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc"
    "8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")
P32 = (0x9e3779b1, 0x85ebca77, 0xc2b2ae3d)
P64 = (0x9e3779b185ebca87, 0xc2b2ae3d27d4eb4f, 0x165667b19e3779f9, 0x85ebca77c2b2ae63, 0x27d4eb2f165667c5)
MASK = (1 << 64) - 1


def xxh3_64(data):
    require(len(data) > 240, "a page of up to 240 bytes")
    acc = [P32[2], *P64[:4], P32[1], P64[4], P32[0]]
    words = lambda bytes_, at: struct.unpack_from("<8Q", bytes_, at)

    def accumulate(stripe, secret):
        for i, (value, key) in enumerate(zip(words(data, stripe), words(SECRET, secret))):
            key ^= value
            acc[i ^ 1] = (acc[i ^ 1] + value) & MASK
            acc[i] = (acc[i] + (key & 0xffffffff) * (key >> 32)) & MASK

    blocks = (len(data) - 1) // 1024
    for block in range(blocks):
        for stripe in range(16):
            accumulate(block * 1024 + stripe * 64, stripe * 8)
        for i, key in enumerate(words(SECRET, 128)):
            acc[i] = ((acc[i] ^ acc[i] >> 47 ^ key) * P32[0]) & MASK
    for stripe in range((len(data) - 1 - blocks * 1024) // 64):
        accumulate(blocks * 1024 + stripe * 64, stripe * 8)
    accumulate(len(data) - 64, 121)
    result = len(data) * P64[0]
    keys = words(SECRET, 11)
    for i in range(0, 8, 2):
        product = (acc[i] ^ keys[i]) * (acc[i + 1] ^ keys[i + 1])
        result += (product & MASK) ^ product >> 64
    result &= MASK
    result = ((result ^ result >> 37) * 0x165667919e3779f9) & MASK
    return result ^ result >> 32


# ---- The file ----

Channel = collections.namedtuple("Channel", "semantic set components bits predictor minimum step error")
Group = collections.namedtuple("Group", "center radius error level page first count")
Node = collections.namedtuple("Node", "center radius error first count has_groups")
Page = collections.namedtuple("Page", "offset size first_group group_count hash")


Target = collections.namedtuple("Target", "name weight low high steps group radius")


class Cluster:
    """group, refined, low and high of the box, cone, materials (a number for each triangle), triangles, rows: for each
    vertex a list of integers, and offsets: for each (target, attribute, set) a dict of integers by vertex."""


def f32(x):
    return array.array("f", (float(x),))[0]


class Bits:
    def __init__(self, data):
        self.value, self.left = int.from_bytes(data, "little"), len(data) * 8

    def take(self, count):
        require(count <= self.left, "a cluster ends early")
        result = self.value & ((1 << count) - 1)
        self.value >>= count
        self.left -= count
        return result


class Decoder:
    """Decodes the clusters of a group in order."""

    def __init__(self, channels):
        self.channels, self.known = channels, []

    def decode(self, data, vertex_count, triangle_count):
        self.bits = bits = Bits(data)
        self.last_corner = self.last_copy = 0
        self.copies, self.predictions = [], []
        triangles = []
        a = b = c = other = None
        for t in range(triangle_count):
            ones = 3 if t == 0 else 0
            while t and ones < 3 and bits.take(1):
                ones += 1
            if ones == 3:
                a = self.corner(*(3 * (c,)))
                b = self.corner(a, a, a)
                c = self.corner(b, b, b)
                other = (b, a, c)
            else:
                right, left = (c, b, a), (a, c, b)
                edge = (right, left, other)[ones]
                if ones < 2:
                    other = (left, right)[ones]
                a, b = edge[:2]
                c = self.corner(*edge)
            triangles.append((a, b, c))
        require(len(self.copies) == vertex_count, "another number of vertices")
        rows = [list(self.known[copy]) if copy is not None else [] for copy in self.copies]
        new = [v for v, copy in enumerate(self.copies) if copy is None]
        first = 0
        for channel in self.channels:
            widths = [bits.take(5) for _ in range(4)]
            chosen = [widths[bits.take(2)] for _ in new]
            mask = (1 << channel.bits) - 1
            normals = self.normals(rows, triangles, channel.bits) if channel.predictor == 1 else None
            for v, width in zip(new, chosen):
                for k in range(channel.components):
                    coded = bits.take(width)
                    difference = -1 - (coded >> 1) if coded & 1 else coded >> 1
                    if normals:
                        predicted = normals[v][k]
                    else:
                        at = [0 if n is None else rows[n][first + k] for n in self.predictions[v]]
                        predicted = at[0] + at[1] - at[2]
                    rows[v].append((predicted + difference) & mask)
            first += channel.components
        require(bits.left < 8, "a cluster has more bytes than it needs")
        self.known += [rows[v] for v in new]
        return triangles, rows

    def corner(self, a, b, c):
        bits = self.bits
        if not bits.take(1):
            self.last_corner = self.reference(3, self.last_corner, len(self.copies))
            return self.last_corner
        copy = None
        if self.known and bits.take(1):
            copy = self.last_copy = self.reference(4, self.last_copy, len(self.known))
        self.copies.append(copy)
        self.predictions.append((a, b, c))
        return len(self.copies) - 1

    def reference(self, near_bits, last, count):
        if self.bits.take(1):
            number = last + self.bits.take(near_bits) - (1 << (near_bits - 1))
        else:
            number = self.bits.take((count - 1).bit_length())
        require(0 <= number < count, "a reference to a vertex that does not exist")
        return number

    @staticmethod
    def normals(rows, triangles, bits):
        sums = [[0.0, 0.0, 0.0] for _ in rows]
        for triangle in triangles:
            a, b, c = (rows[v] for v in triangle)
            u = [float(b[k] - a[k]) for k in range(3)]
            v = [float(c[k] - a[k]) for k in range(3)]
            n = [f32(f32(u[(k + 1) % 3] * v[(k + 2) % 3]) - f32(u[(k + 2) % 3] * v[(k + 1) % 3])) for k in range(3)]
            for corner in triangle:
                sums[corner] = [f32(sums[corner][k] + n[k]) for k in range(3)]
        result = []
        most = float((1 << bits) - 1)
        for x, y, z in sums:
            length = f32(f32(abs(x) + abs(y)) + abs(z))
            scale = f32(1 / length) if length > 0 else 0.0
            u, v = f32(x * scale), f32(y * scale)
            if z < 0:
                u, v = math.copysign(f32(1 - abs(v)), u), math.copysign(f32(1 - abs(u)), v)
            result.append([int(f32(f32(f32(f32(w * 0.5) + 0.5) * most) + 0.5)) for w in (u, v)])
        return result


COMPONENTS = {0: 3, 1: 3, 2: 3, 3: 2, 4: 4}  # of offsets, by attribute


def decode_offsets(data, vertex_count):
    bits = Bits(data)
    tracks, before, moved = {}, None, []
    for _ in range(bits.take(20)):
        track = bits.take(16), bits.take(3), bits.take(3)
        require(before is None or before < track, "tracks are not in order")
        require(track[1] in COMPONENTS and (track[1] > 2 or track[2] == 0), "an unknown attribute or set")
        before = track
        if not bits.take(1):
            moved = [v for v in range(vertex_count) if bits.take(1)]
        require(moved, "a track moves no vertex")
        widths = [bits.take(5) for _ in range(4)]
        require(max(widths) <= 17, "a wide number")
        chosen = [widths[bits.take(2)] for _ in moved]
        last = [0] * COMPONENTS[track[1]]
        tracks[track] = {}
        for v, width in zip(moved, chosen):
            for k in range(len(last)):
                coded = bits.take(width)
                last[k] += -1 - (coded >> 1) if coded & 1 else coded >> 1
                require(abs(last[k]) <= 32767, "a large number")
            tracks[track][v] = list(last)
    require(bits.left < 8, "offsets have more bytes than they need")
    return tracks


class File:
    def __init__(self, data):
        magic, version, count = struct.unpack_from("<4sII", data)
        require(magic == b"HCLU" and version == 1, "another magic or version")
        chunks = {}
        for i in range(count):
            name, flags, offset, size = struct.unpack_from("<4sIQQ", data, 32 + 24 * i)
            require(flags == 0 and offset % 16 == 0 and offset + size <= len(data), "a chunk out of range")
            chunks[name.decode()] = data[offset:offset + size]
        table = lambda name, form: list(struct.iter_unpack(form, chunks[name]))
        (self.source_triangles, self.triangles, self.cluster_count, self.level_count, self.box_shift, zero, *rest) = \
            struct.unpack("<QQIIII5f12s", chunks["DESC"])
        require(zero == 0 and rest[-1] == bytes(12), "reserved bytes are not 0")
        self.position_error, self.skin_weight = rest[3:5]
        self.bounds = struct.unpack("<10f", chunks["BNDS"])
        self.channels = [Channel(*c[:5], c[6:10], c[10], c[11]) for c in table("CHNL", "<HHBBBB4fff")]
        self.groups = [Group(g[:3], *g[3:]) for g in table("GRUP", "<4ffIIHH")]
        self.nodes = [Node(n[:3], *n[3:]) for n in table("NODE", "<4ffIII")]
        pages = table("PAGE", "<QIIIIQ")
        self.pages = [Page(*p[:4], p[5]) for p in pages]
        dependencies = [d for d, in table("DEPS", "<I")] if "DEPS" in chunks else []
        ends = [p[4] for p in pages]
        require(sorted(ends) == ends and ends[-1] == len(dependencies), "ends of dependencies do not ascend")
        self.dependencies = [dependencies[begin:end] for begin, end in zip([0] + ends, ends)]
        self.materials = [m for m, in table("MTRL", "<Q")] if "MTRL" in chunks else []
        joint = "<16f3f4f3fiI"
        self.joints = table("SKEL", joint) if "SKEL" in chunks else []
        self.poses = table("PBND", "<10f") if "PBND" in chunks else []
        self.targets, self.morph_steps = self.morphs(chunks["MRPH"], chunks["MRAD"]) if "MRPH" in chunks else ([], {})
        self.clusters = [c for page in self.pages for c in self.page(page, chunks["DATA"])]
        page_of = [p for p, page in enumerate(self.pages) for _ in range(page.group_count)]
        needed = [set() for _ in self.pages]
        for c in self.clusters:
            if c.refined != NONE and page_of[c.refined] != page_of[c.group]:
                needed[page_of[c.refined]].add(page_of[c.group])
        require(self.dependencies == [sorted(pages) for pages in needed], "a page depends on other pages")

    def page(self, page, data):
        require(page.offset % 16 == 0 and page.size <= 131072, "a page out of range")
        data = data[page.offset:page.offset + page.size]
        require(xxh3_64(data) == page.hash, "the hash of a page differs")
        count, = struct.unpack_from("<I", data)
        groups = [g for g in range(page.first_group, page.first_group + page.group_count)
                  for _ in range(self.groups[g].count)]
        require(count == len(groups), "a page has another number of clusters than its groups")
        at = 4 + 26 * count
        clusters = []
        group = None
        for i in range(count):
            record = struct.unpack_from("<HH3H3H4bHHBB", data, 4 + 26 * i)
            c = Cluster()
            c.group, c.refined, c.low, c.high, c.cone = groups[i], record[0] | record[1] << 16, record[2:5], \
                record[5:8], record[8:12]
            material, size, vertices, triangles = record[12], record[13], record[14] + 1, record[15] + 1
            require(vertices <= 128 and triangles <= 128, "a cluster is too large")
            require(c.refined == NONE or c.group < c.refined < len(self.groups), "a refined group comes before")
            if c.group != group:
                require(self.groups[c.group].first == i, "a group begins elsewhere")
                group, decoder = c.group, Decoder(self.channels)
            content = data[at:at + size]
            at += size
            if material == SEVERAL:
                ranges = [struct.unpack_from("<HB", content, 1 + 3 * r) for r in range(content[0] + 1)]
                content = content[1 + 3 * len(ranges):]
            else:
                ranges = [(material, triangles - 1)]
            c.materials = [m for m, last in ranges for _ in range(last + 1)]
            require(len(c.materials) == triangles, "ranges of materials do not end with the triangles")
            require(all(m == NO_MATERIAL or m < len(self.materials) for m in c.materials), "an unknown material")
            c.triangles, c.rows = decoder.decode(content, vertices, triangles)
            clusters.append(c)
        if self.targets:
            ends = struct.unpack_from(f"<{count}I", data, at)
            at += 4 * count
            require(list(ends) == sorted(ends), "ends of offsets do not ascend")
            for c, begin, end in zip(clusters, (0,) + ends, ends):
                c.offsets = decode_offsets(data[at + begin:at + end], len(c.rows))
                require(all(self.morph_steps.get(track, 0) > 0 for track in c.offsets), "a track without a step")
            at += ends[-1]
        require(at + 16 == len(data) and data[at:] == bytes(16), "a page does not end with 16 zeros")
        return clusters

    @staticmethod
    def morphs(data, radii):
        """The targets, and the step of each (target, attribute, set)."""
        version, _, vertices, count, groups, moves, _, _, channels, channel_moves, text_size, _ = \
            struct.unpack_from("<12I", data)
        require((version, vertices, moves, channel_moves) == (1, 0, 0, 0), "morph targets with moves")
        radii = struct.unpack(f"<{count}f", radii)
        rows = [struct.unpack_from("<II6fII", data, 48 + 40 * t) for t in range(count)]
        at = 48 + 40 * count + 16 * groups
        steps = {(t, attribute, 0): row[5 + attribute] for t, row in enumerate(rows) for attribute in range(3)}
        for c in range(channels):
            target, semantic, set_, _, _, step, _ = struct.unpack_from("<IHHIIfI", data, at + 24 * c)
            steps[target, semantic, set_] = step
        text = data[at + 24 * channels:at + 24 * channels + text_size]
        begins = [0] + [row[8] for row in rows]
        return [Target(text[begin:row[8]].decode(), *row[2:5], row[5:8], row[9], radius)
                for begin, row, radius in zip(begins, rows, radii)], steps

    def find(self, semantic, set_=0):
        """The channel and its first component."""
        first = 0
        for channel in self.channels:
            if (channel.semantic, channel.set) == (semantic, set_):
                return channel, first
            first += channel.components
        return None, None

    def cut(self, limit, measure):
        values = [measure(g) for g in self.groups]
        return [c for c in self.clusters
                if values[c.group] > limit and (c.refined == NONE or values[c.refined] <= limit)]


def value(channel, row, first):
    return [channel.minimum[k] + channel.step * row[first + k] for k in range(channel.components)]


def octahedral(n):
    length = sum(map(abs, n))
    x, y = n[0] / length, n[1] / length
    if n[2] < 0:
        x, y = math.copysign(1 - abs(y), x), math.copysign(1 - abs(x), y)
    return x, y


# ---- Checks ----
