#!/usr/bin/env python3
"""Mounts a pack or a folder and loads one texture of it, as examples/c/assets.c does, through ctypes.

usage: assets.py LIBASSETC PACK-OR-FOLDER TEXTURE
"""
import ctypes as c
import sys

U32 = c.c_uint32
LOADING, READY = 0, 1


class Handle(c.Structure):
    _fields_ = [("uuid", c.c_uint8 * 16), ("path_hash", c.c_uint64), ("type", U32), ("reserved", U32)]


class Desc(c.Structure):  # only the members that are read here: the library writes no further than struct_bytes
    _fields_ = [("struct_bytes", U32), ("type", U32), ("path", c.c_void_p), ("path_bytes", c.c_size_t),
                ("size_bytes", c.c_uint64), ("width", U32), ("height", U32)]


class Texture(c.Structure):
    _fields_ = [(name, U32) for name in
                ("struct_bytes", "vk_format", "is_srgb", "is_3d", "layer_count", "face_count", "level_count")]


class Level(c.Structure):
    _fields_ = [("struct_bytes", U32), ("width", U32), ("height", U32), ("depth", U32), ("data", c.c_void_p),
                ("size_bytes", c.c_size_t)]


def library(path):
    lib = c.CDLL(path)
    for name in ("catalog_new", "manager_new", "load", "asset_error", "blob_data"):
        getattr(lib, "assetc_" + name).restype = c.c_void_p
    for name in ("error_text", "fault_name"):
        getattr(lib, "assetc_" + name).restype = c.c_char_p
    lib.assetc_blob_size.restype = c.c_size_t
    return lib


def fnv1a(address, size):
    value = 0xCBF29CE484222325
    for byte in c.string_at(address, size):
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def main(path, place, name):
    lib = library(path)
    error, handle, blob = c.c_void_p(), Handle(), c.c_void_p()
    catalog = c.c_void_p(lib.assetc_catalog_new())
    if lib.assetc_mount(catalog, place.encode(), None, c.byref(error)):
        sys.exit("assets: " + lib.assetc_error_text(error).decode())
    if lib.assetc_find_path(catalog, name.encode(), c.byref(handle)):
        sys.exit("assets: no " + name)
    desc = Desc(struct_bytes=c.sizeof(Desc))
    lib.assetc_describe(catalog, c.byref(handle), c.byref(desc))
    print(f"abi {lib.assetc_abi_version()}")
    print(f"{c.string_at(desc.path, desc.path_bytes).decode()}: type {desc.type}, "
          f"{desc.width} x {desc.height} in the registry")
    if lib.assetc_read(catalog, c.byref(handle), c.byref(blob), c.byref(error)):
        sys.exit("assets: " + lib.assetc_error_text(error).decode())
    size = lib.assetc_blob_size(blob)
    print(f"file: {size} bytes, {fnv1a(lib.assetc_blob_data(blob), size)}")
    lib.assetc_blob_free(blob)

    manager = c.c_void_p(lib.assetc_manager_new(catalog, None))
    lib.assetc_catalog_free(catalog)

    def load(wanted):
        asset = c.c_void_p(lib.assetc_load(manager, c.byref(wanted), 10))
        while lib.assetc_asset_state(asset) == LOADING:
            lib.assetc_pump(manager, c.c_uint64(2000), c.c_uint64(2**64 - 1))
        return asset

    asset = load(handle)
    if lib.assetc_asset_state(asset) != READY:
        sys.exit(lib.assetc_error_text(c.c_void_p(lib.assetc_asset_error(asset))).decode())
    texture = Texture(struct_bytes=c.sizeof(Texture))
    lib.assetc_asset_texture(asset, c.byref(texture))
    print(f"VkFormat {texture.vk_format}, {texture.level_count} levels")
    for i in range(texture.level_count):
        level = Level(struct_bytes=c.sizeof(Level))
        lib.assetc_asset_level(asset, i, c.byref(level))
        print(f"level {i}: {level.width} x {level.height}, {fnv1a(level.data, level.size_bytes)}")
    lib.assetc_asset_free(asset)

    asset = load(Handle(path_hash=0xDEAD, type=1))
    print(lib.assetc_error_text(c.c_void_p(lib.assetc_asset_error(asset))).decode())
    lib.assetc_asset_free(asset)
    lib.assetc_manager_free(manager)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
