"""What the Python package promises beyond examples/python: views without copies, errors, and lifetimes.

    PYTHONPATH=WHEEL python3 wheel.py PACK TEXTURE
"""
import gc
import sys

import assetc


def require(holds, what):
    if not holds:
        raise SystemExit("wheel.py: " + what)


def raises(kind, action, words):
    try:
        action()
    except kind as error:
        require(words in str(error), f"found {error!s}, expected '{words}'")
        return error
    raise SystemExit(f"wheel.py: expected {kind.__name__} with '{words}'")


catalog = assetc.Catalog()
pack, name = sys.argv[1:]
catalog.mount(pack)
handle = catalog.find(name)
require(handle in list(catalog) and catalog.list(prefix=name) == [handle] and catalog.list(folder="nowhere") == [],
        "the list of assets")
require(assetc.Type(catalog.describe(handle).type) is assetc.Type.TEXTURE_2D, "the type")
raises(KeyError, lambda: catalog.find("no/such.ktx2"), "no/such.ktx2")
raises(ValueError, lambda: catalog.mount(pack, key=b"short"), "expected 32")
raises(ValueError, lambda: catalog.find(name + "\0.png"), "zero byte")
error = raises(assetc.AssetError, lambda: catalog.mount("no/such.hpack"), "no such file")
require(error.fault is assetc.Fault.MISSING or error.fault is assetc.Fault.IO, f"the fault {error.fault!r}")

manager = assetc.Manager(catalog)
asset = manager.request(handle)
while not asset.is_ready:
    manager.pump()
raises(assetc.AssetError, asset.mesh, "wrong_type")
level = asset.texture().levels[0]
require(level.data.readonly and len(level.data) == level.width * level.height * 4, "the view of a level")
first = bytes(level.data[:64])
del asset, manager, catalog
gc.collect()
require(bytes(level.data[:64]) == first, "a view outlives its asset, manager and catalog")
try:
    import numpy
except ImportError:
    print("skipped: NumPy is not installed, so views were not shown to it")
else:
    array = numpy.asarray(level.data).reshape(level.height, level.width, 4)
    require(not array.flags.writeable and not array.flags.owndata, "an array without a copy")
    require(array.__array_interface__["data"][0] == numpy.frombuffer(level.data, numpy.uint8).__array_interface__["data"][0],
            "the address of an array")
