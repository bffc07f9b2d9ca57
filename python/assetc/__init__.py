"""Loads what assetc compiles: packs, runtime/ folders, cooked folders and bundles.

    import assetc
    catalog = assetc.Catalog()
    catalog.mount("game.hpack")
    texture = assetc.Manager(catalog).load(catalog.find("textures/wood.ktx2")).texture()
    pixels = numpy.asarray(texture.levels[0].data)  # no copy

Texts and values are those of assetc/runtime.h, which docs/guide/engine.md describes. Data are read-only memoryviews of
the library's memory, which they keep alive. One thread uses a manager; others may read what it has loaded.
"""
from __future__ import annotations

import enum
import os
import uuid as uuids
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence, Union

import ctypes as c

from ._library import lib, native
from .command import program_path, run

__all__ = ["Asset", "AssetError", "Catalog", "Description", "Fault", "Handle", "Level", "Manager", "Mesh", "Texture", "Type",
           "abi_version", "program_path", "run"]
__version__ = "0.1.0"


def _names(prefix_of_first: str, first: int, last: str) -> dict[str, int]:
    """The constants of the header from one name to another, without their prefix."""
    names = [name for name in vars(native) if name.startswith("ASSETC_")]
    chosen = names[names.index(prefix_of_first):names.index(last) + 1]
    return {name.removeprefix("ASSETC_"): getattr(native, name) for name in chosen if getattr(native, name) >= first}


Fault = enum.IntEnum("Fault", _names("ASSETC_OK", 0, "ASSETC_STALE"))
Type = enum.IntEnum("Type", _names("ASSETC_UNKNOWN", 0, "ASSETC_FONT"))


def abi_version() -> int:
    """The version of the library's interface, as in assetc/runtime.h."""
    return lib.assetc_abi_version()


class AssetError(Exception):
    """One line that says which asset, what was found and what to do. `fault` is a Fault, or a number of a later version."""

    def __init__(self, text: str, fault: int):
        super().__init__(text)
        self.fault = Fault(fault) if fault in iter(Fault) else fault


def _check(fault: int, error: Optional[c.c_void_p] = None) -> None:
    if fault == native.ASSETC_OK:
        return
    if error:
        text = lib.assetc_error_text(error).decode()
        lib.assetc_error_free(error)
    else:
        text = lib.assetc_fault_name(fault).decode()
    raise AssetError(text, fault)


def _text(text: native.assetc_text) -> str:
    return c.string_at(text.data, text.size_bytes).decode("utf-8", "replace") if text.size_bytes else ""


def _c_text(text: Union[str, bytes]) -> bytes:
    """A text for C, where it ends at its first zero byte."""
    data = text.encode() if isinstance(text, str) else text
    if b"\0" in data:
        raise ValueError(f"found a zero byte in {text!r}")
    return data


def _sized(kind):
    value = kind()
    value.struct_bytes = c.sizeof(kind)
    return value


def _view(address: Optional[int], size_bytes: int, owner: object) -> memoryview:
    """Memory of the library, read-only. The view keeps its owner alive."""
    if not address or size_bytes == 0:
        return memoryview(b"")
    array = (c.c_uint8 * size_bytes).from_address(address)
    array.owner = owner
    return memoryview(array).cast("B").toreadonly()


@dataclass(frozen=True)
class Handle:
    """Identifies an asset: by its UUID in a cooked tree, or by the hash of its path."""
    uuid: uuids.UUID
    path_hash: int
    type: int

    def _native(self) -> native.assetc_handle:
        return native.assetc_handle((c.c_uint8 * 16)(*self.uuid.bytes), self.path_hash, self.type, 0)

    @staticmethod
    def _from(handle: native.assetc_handle) -> Handle:
        kind = handle.type
        return Handle(uuids.UUID(bytes=bytes(handle.uuid)), handle.path_hash, Type(kind) if kind in iter(Type) else kind)


@dataclass(frozen=True)
class Description:
    """What the registry says of an asset. Members of other types are 0; sizes are in texels, bytes, Hz and frames."""
    type: int
    path: str
    size_bytes: int
    width: int
    height: int
    mip_count: int
    is_srgb: bool
    vertex_count: int
    index_count: int
    submesh_count: int
    sample_rate_hz: int
    frame_count: int
    tags: tuple[str, ...]


class Catalog:
    """Which assets there are, in the mounted packs, folders and bundles."""

    def __init__(self) -> None:
        self._pointer = lib.assetc_catalog_new()

    def __del__(self) -> None:
        lib.assetc_catalog_free(getattr(self, "_pointer", None))

    def mount(self, path: Union[str, os.PathLike[str]], *, priority: int = 0, patches: Sequence[str] = (),
              signer: Optional[bytes] = None, key: Optional[bytes] = None, threads: int = 0) -> None:
        """Mounts a runtime/ folder, a pack, a cooked folder or a bundle. signer, key: 32 bytes. Raises AssetError."""
        for name, value in (("signer", signer), ("key", key)):
            if value is not None and len(value) != 32:
                raise ValueError(f"{name} has {len(value)} bytes, expected 32")
        options = _sized(native.assetc_mount_options)
        options.priority, options.threads, options.patch_count = priority, threads, len(patches)
        names = (c.c_char_p * len(patches))(*(_c_text(os.fsencode(one)) for one in patches))
        keys = [(c.c_uint8 * 32)(*value) if value is not None else None for value in (signer, key)]
        options.patches = names
        options.signer, options.key = keys
        error = c.c_void_p()
        _check(lib.assetc_mount(self._pointer, _c_text(os.fsencode(path)), c.byref(options), c.byref(error)), error)

    def unmount(self, path: Union[str, os.PathLike[str]]) -> None:
        error = c.c_void_p()
        _check(lib.assetc_unmount(self._pointer, _c_text(os.fsencode(path)), c.byref(error)), error)

    def set_variants(self, qualifiers: Sequence[str]) -> None:
        """Selects variants by their qualifiers, the most important first."""
        names = (c.c_char_p * len(qualifiers))(*(_c_text(one) for one in qualifiers))
        lib.assetc_set_variants(self._pointer, names, len(qualifiers))

    def find(self, name: Union[str, uuids.UUID]) -> Handle:
        """The asset with a path or a UUID. Raises KeyError."""
        handle = native.assetc_handle()
        if isinstance(name, uuids.UUID):
            fault = lib.assetc_find_uuid(self._pointer, (c.c_uint8 * 16)(*name.bytes), c.byref(handle))
        else:
            fault = lib.assetc_find_path(self._pointer, _c_text(name), c.byref(handle))
        if fault != native.ASSETC_OK:
            raise KeyError(str(name))
        return Handle._from(handle)

    def __iter__(self) -> Iterator[Handle]:
        return iter(self.list())

    def list(self, *, type: int = 0, folder: Optional[str] = None, prefix: Optional[str] = None,
             tag: Optional[str] = None) -> list[Handle]:
        """The selected assets, in the order of their paths."""
        query = _sized(native.assetc_query)
        query.type = type
        query.folder, query.prefix, query.tag = (_c_text(one) if one is not None else None for one in (folder, prefix, tag))
        count = lib.assetc_list(self._pointer, c.byref(query), None, 0)
        handles = (native.assetc_handle * count)()
        lib.assetc_list(self._pointer, c.byref(query), handles, count)
        return [Handle._from(one) for one in handles]

    def describe(self, handle: Handle) -> Description:
        desc = _sized(native.assetc_desc)
        wanted = handle._native()
        _check(lib.assetc_describe(self._pointer, c.byref(wanted), c.byref(desc)))
        tags = _text(desc.tags).split("\0")
        return Description(Type(desc.type) if desc.type in iter(Type) else desc.type, _text(desc.virtual_path), desc.size_bytes,
                           desc.width_texels, desc.height_texels, desc.mip_count, bool(desc.is_srgb), desc.vertex_count,
                           desc.index_count, desc.submesh_count, desc.sample_rate_hz, desc.frame_count,
                           tuple(one for one in tags if one))

    def dependencies(self, handle: Handle) -> list[Handle]:
        """What an asset refers to; what must be loaded with it comes first."""
        wanted = handle._native()
        count = lib.assetc_dependencies(self._pointer, c.byref(wanted), None, 0, None)
        needed = (native.assetc_handle * count)()
        lib.assetc_dependencies(self._pointer, c.byref(wanted), needed, count, None)
        return [Handle._from(one) for one in needed]

    def read(self, handle: Handle) -> memoryview:
        """The bytes of an asset, as compiled. Raises AssetError."""
        wanted, blob, error = handle._native(), c.c_void_p(), c.c_void_p()
        _check(lib.assetc_read(self._pointer, c.byref(wanted), c.byref(blob), c.byref(error)), error)
        owner = _Blob(blob)
        return _view(lib.assetc_blob_data(blob), lib.assetc_blob_size(blob), owner)


class _Blob:
    def __init__(self, pointer: c.c_void_p) -> None:
        self._pointer = pointer

    def __del__(self) -> None:
        lib.assetc_blob_free(self._pointer)


class Manager:
    """Loads each asset once. threads: 0 decodes in the calling thread."""

    def __init__(self, catalog: Catalog, *, threads: int = 2, texture_families: int = 0) -> None:
        options = _sized(native.assetc_manager_options)
        options.threads, options.texture_families = threads, texture_families
        self._pointer = lib.assetc_manager_new(catalog._pointer, c.byref(options))

    def __del__(self) -> None:
        lib.assetc_manager_free(getattr(self, "_pointer", None))

    def request(self, handle: Handle, priority: int = 0) -> Asset:
        """Starts to load an asset. It is ready after some calls of pump, or after Asset.wait."""
        wanted = handle._native()
        return Asset(self, lib.assetc_load(self._pointer, c.byref(wanted), priority))

    def load(self, handle: Handle) -> Asset:
        """Loads an asset and waits for it. Raises AssetError."""
        return self.request(handle).wait()

    def pump(self, time_us: int = 2000, size_bytes: int = 2**64 - 1) -> int:
        """Does the work of one frame, and returns how many assets became ready."""
        return lib.assetc_pump(self._pointer, time_us, size_bytes)


@dataclass(frozen=True)
class Level:
    """One level of a texture: block rows, tightly packed, by layer, face and depth."""
    width: int
    height: int
    depth: int
    data: memoryview


@dataclass(frozen=True)
class Texture:
    """vk_format: a VkFormat. layer_count: 0 if it is no array. face_count: 6 for a cube."""
    vk_format: int
    is_srgb: bool
    is_3d: bool
    layer_count: int
    face_count: int
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Mesh:
    """A mesh in full detail. vertices: vertex_count items of vertex_stride_bytes. indices: 2 or 4 bytes each."""
    vertex_count: int
    vertex_stride_bytes: int
    index_count: int
    index_width_bytes: int
    vertices: memoryview
    indices: memoryview


class Asset:
    """A loaded asset, or one that is loading. It stays loaded as long as this object or a view of its data."""

    def __init__(self, manager: Manager, pointer: int) -> None:
        self._manager, self._pointer = manager, pointer

    def __del__(self) -> None:
        lib.assetc_asset_free(self._pointer)

    @property
    def is_ready(self) -> bool:
        return lib.assetc_asset_state(self._pointer) == native.ASSETC_READY

    def wait(self) -> Asset:
        """Waits until it is loaded. Raises AssetError."""
        if lib.assetc_wait(self._manager._pointer, self._pointer) != native.ASSETC_READY:
            error = lib.assetc_asset_error(self._pointer)  # belongs to the asset
            raise AssetError(lib.assetc_error_text(error).decode(), lib.assetc_error_fault(error))
        return self

    def texture(self) -> Texture:
        """Raises AssetError if the asset is no texture, or not ready."""
        found = _sized(native.assetc_texture)
        _check(lib.assetc_asset_texture(self._pointer, c.byref(found)))
        levels = []
        for i in range(found.level_count):
            level = _sized(native.assetc_level)
            _check(lib.assetc_asset_level(self._pointer, i, c.byref(level)))
            levels.append(Level(level.width_texels, level.height_texels, level.depth_texels,
                                _view(level.data, level.size_bytes, self)))
        return Texture(found.vk_format, bool(found.is_srgb), bool(found.is_3d), found.layer_count, found.face_count, tuple(levels))

    def mesh(self) -> Mesh:
        """Raises AssetError if the asset is no mesh, or not ready."""
        found = _sized(native.assetc_mesh)
        _check(lib.assetc_asset_mesh(self._pointer, c.byref(found)))
        return Mesh(found.vertex_count, found.vertex_stride_bytes, found.index_count, found.index_width_bytes,
                    _view(found.vertices, found.vertex_count * found.vertex_stride_bytes, self),
                    _view(found.indices, found.index_count * found.index_width_bytes, self))

    def data(self) -> memoryview:
        """The code of a shader, the content of raw data, or the compiled file. Empty for a texture."""
        size = c.c_size_t()
        address = lib.assetc_asset_bytes(self._pointer, c.byref(size))
        return _view(address, size.value, self)
