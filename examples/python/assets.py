#!/usr/bin/env python3
"""Mounts a pack or a folder and loads one texture of it, as examples/c/assets.c does, with the Python package assetc.

usage: assets.py PACK-OR-FOLDER TEXTURE
"""
import sys
import uuid

import assetc


def fnv1a(data):
    value = 0xCBF29CE484222325
    for byte in data:
        value = ((value ^ byte) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def main(place, name):
    catalog = assetc.Catalog()
    catalog.mount(place)
    handle = catalog.find(name)
    found = catalog.describe(handle)
    print(f"abi {assetc.abi_version()}")
    print(f"{found.path}: type {int(found.type)}, {found.width} x {found.height} in the registry")
    file = catalog.read(handle)
    print(f"file: {len(file)} bytes, {fnv1a(file)}")

    manager = assetc.Manager(catalog)
    texture = manager.load(handle).texture()
    print(f"VkFormat {texture.vk_format}, {len(texture.levels)} levels")
    for i, level in enumerate(texture.levels):
        print(f"level {i}: {level.width} x {level.height}, {fnv1a(level.data)}")

    try:
        manager.load(assetc.Handle(uuid.UUID(int=0), 0xDEAD, assetc.Type.TEXTURE_2D))
    except assetc.AssetError as error:
        print(error)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        main(*sys.argv[1:])
    except assetc.AssetError as error:
        sys.exit(f"assets: {error}")
