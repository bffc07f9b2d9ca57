"""GLB files of 1, 8 and 30 million triangles to .hcluster, as whole processes: time, memory and size.

    python3 bench/cluster/process.py build/release/assetc build/release/torus_glb [MILLIONS ...]

The models are the torus of cluster_bench, with normals and texture coordinates. assetc builds each with
--memory 2G, without its cache.
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import time

COLUMNS_BY_MILLIONS = {1: 1024, 8: 2896, 30: 5480}


def measure(words, cwd):
    """Seconds by the clock, seconds of the processor, and the largest memory in bytes."""
    begin = time.monotonic()
    process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.DEVNULL, env=os.environ | {"ASSETC_CACHE": "off"})
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    assetc, torus = (str(pathlib.Path(word).resolve()) for word in sys.argv[1:3])
    sizes = [int(word) for word in sys.argv[3:]] or sorted(COLUMNS_BY_MILLIONS)
    for millions in sizes:
        columns = COLUMNS_BY_MILLIONS[millions]
        rows = columns // 2
        triangles = 2 * columns * rows
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "assets").mkdir()
            (folder / "assetc.yml").write_text("default:\n  mesh:\n    lod: cluster\n")
            subprocess.run([torus, str(columns), str(rows), folder / "assets/torus.glb"], check=True)
            wall, cpu, peak = measure([assetc, "-q", "--memory", "2G"], folder)
            size = (folder / "runtime/torus.hcluster").stat().st_size
        print(f"{triangles / 1e6:6.2f} M triangles{wall:8.2f} s{cpu:8.2f} s of the processor"
              f"{triangles / cpu / 1e6:6.2f} M/s of processor{peak / 2**20:8.0f} MiB{size / triangles:6.2f} B/triangle")


main()
