"""Loads the shared library of the runtime, and declares its functions."""
import ctypes as c
import os
import pathlib
import sys

try:
    from . import _native as native
except ImportError as error:  # a checkout: the wheel has it
    raise ImportError("assetc._native is missing: install the wheel, or make it with python/native.py") from error

HERE = pathlib.Path(__file__).parent
NAME = "assetc.dll" if sys.platform == "win32" else "libassetc.so"


def load():
    """The library. ASSETC_LIBRARY: the path of another one than the wheel's."""
    path = os.environ.get("ASSETC_LIBRARY") or str(HERE / "lib" / NAME)
    try:
        found = c.CDLL(path)
    except OSError as error:
        raise ImportError(f"found no usable {path}: {error}; install the wheel of this platform, "
                          "or name a library in ASSETC_LIBRARY") from None
    found.assetc_abi_version.restype = c.c_uint32
    version = found.assetc_abi_version()
    if version < native.ASSETC_ABI_VERSION:
        raise ImportError(f"{path} has version {version} of the interface, expected {native.ASSETC_ABI_VERSION} or later; "
                          "use the library of this package")
    for name, (result, parameters) in native.FUNCTIONS.items():
        function = getattr(found, name)
        function.restype, function.argtypes = result, parameters
    return found


lib = load()
