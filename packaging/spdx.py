"""Writes the SPDX 2.3 list of a program that scripts/static-deps has linked, and copies the licenses of its libraries.

    python3 packaging/spdx.py VERSION PLATFORM TREE OUT

TREE/share/doc/assetc gets the texts. Versions are those of the sources of scripts/fetch-source; Debian's packages of the
same sources on this machine have the texts of the licenses.
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

PACKAGES = {
    "zlib": "zlib1g-dev", "zstd": "libzstd-dev", "fmt": "libfmt-dev", "yaml-cpp": "libyaml-cpp-dev", "highway": "libhwy-dev",
    "onetbb": "libtbb-dev", "sqlite3": "libsqlite3-dev", "libuv": "libuv1-dev", "spng": "libspng-dev",
    "libjpeg-turbo": "libturbojpeg0-dev", "ogg": "libogg-dev", "vorbis": "libvorbis-dev", "opus": "libopus0",
    "flac": "libflac-dev", "sndfile": "libsndfile1-dev", "mpg123": "libmpg123-0", "lame": "libmp3lame0",
    "nettle": "nettle-dev", "sodium": "libsodium-dev", "icu": "libicu-dev", "spirv-tools": "spirv-tools",
    "glslang": "glslang-dev", "shaderc": "libshaderc-dev", "astcenc": "libastcenc-dev", "webp": "libwebp-dev",
    "draco": "libdraco-dev", "freetype": "libfreetype-dev", "harfbuzz": "libharfbuzz-dev", "openexr": "libopenexr-dev",
    "imath": "libimath-dev",
}
# Compiled in as headers, or parts of the toolchain.
HEADERS = {"cli11": "libcli11-dev", "nlohmann-json": "nlohmann-json3-dev", "xxhash": "libxxhash-dev",
           "curl-headers": "libcurl4-openssl-dev"}
TOOLCHAINS = {"windows": {"mingw-w64": "mingw-w64-common", "gcc": "gcc-mingw-w64-base"}, "linux": {"gcc": "gcc-12-base"}}
OURS = ("meshoptimizer", "ufbx")  # libraries that every build compiles from scripts/fetch-source


def document(name, version, source=None):
    one = {"SPDXID": "SPDXRef-" + name, "name": name, "versionInfo": version, "supplier": "NOASSERTION",
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
           "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION"}
    if source:
        one["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                "referenceLocator": f"pkg:deb/debian/{source}@{version}"}]
    return one


def main(version, platform, tree, out):
    texts = pathlib.Path(tree, "share/doc/assetc")
    libraries = texts / "libraries"
    libraries.mkdir(parents=True, exist_ok=True)
    deps = pathlib.Path("build/static") / platform
    built = sorted({re.fullmatch(r"\.(.+)-[0-9a-f]{16}", path.name)[1] for path in deps.glob(".*-*")})
    rows = [line.split() for line in pathlib.Path("scripts/fetch-source").read_text().splitlines()]
    sources = {row[0]: row for row in rows if len(row) == 7 and row[1] in ("bookworm", "trixie", "forky")}
    documents = []
    for name in [*built, *HEADERS, *TOOLCHAINS[platform.split("-")[0]]]:
        package = PACKAGES.get(name) or HEADERS.get(name) or TOOLCHAINS[platform.split("-")[0]].get(name)
        if package is None:
            sys.exit(f"spdx.py: no package with the license of {name} is named in packaging/spdx.py")
        shutil.copy(f"/usr/share/doc/{package}/copyright", libraries / name)
        if name in sources:
            documents.append(document(name, sources[name][2], sources[name][3]))
        else:
            shown = subprocess.check_output(["dpkg-query", "--show", "--showformat", "${Version} ${source:Package}", package], text=True)
            documents.append(document(name, *shown.split()))
    for name in OURS:
        folder = pathlib.Path(subprocess.check_output(["scripts/fetch-source", name], text=True).strip())
        shutil.copy(next(folder.glob("LICENSE*")), libraries / name)
        documents.append(document(name, sources[name][2]))
    # Some licenses refer to texts that only Debian systems have.
    named = set()
    for text in libraries.iterdir():
        named |= set(re.findall(r"/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]", text.read_text(errors="replace")))
    (texts / "common-licenses").mkdir(exist_ok=True)
    for text in sorted(named):
        if os.path.isfile(text):
            shutil.copy(text, texts / "common-licenses")
    program = next(pathlib.Path(tree, "bin").glob("assetc*"))
    digest = hashlib.sha256(program.read_bytes()).hexdigest()
    own = document("assetc", version) | {"licenseConcluded": "MIT", "licenseDeclared": "MIT",
                                         "copyrightText": "Copyright (c) 2026 the assetc authors",
                                         "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    stamp = subprocess.check_output(["git", "log", "-1", "--format=%cd", "--date=format-local:%Y-%m-%dT%H:%M:%SZ"], text=True,
                                    env=os.environ | {"TZ": "UTC"}).strip()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({
            "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"assetc-{version}-{platform}",
            "documentNamespace": f"urn:assetc:{digest}",
            "creationInfo": {"created": stamp, "creators": ["Tool: scripts/package-static"]},
            "packages": [own, *documents],
            "relationships": [
                {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-assetc"},
                *({"spdxElementId": "SPDXRef-assetc", "relationshipType": "STATIC_LINK", "relatedSpdxElement": one["SPDXID"]}
                  for one in documents)],
        }, file, indent=1)
        file.write("\n")
    shutil.copy(out, texts)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    main(*sys.argv[1:])
