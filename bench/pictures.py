"""Synthetic pictures for benchmarks: PNGs of noise."""
import struct
import zlib


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(source, texels):
    """An RGBA picture, texels wide and high; source: a random.Random."""
    rows = b"".join(b"\0" + source.randbytes(4 * texels) for _ in range(texels))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", texels, texels, 8, 6, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))
