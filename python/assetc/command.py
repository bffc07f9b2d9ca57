"""Runs the command assetc of this package."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
from typing import Any, Sequence

__all__ = ["program_path", "run"]


def program_path() -> str:
    """The path of the program: that of the package, else the one on the path. Raises FileNotFoundError."""
    name = "assetc.exe" if sys.platform == "win32" else "assetc"
    own = pathlib.Path(__file__).parent / "bin" / name
    if own.is_file():
        return str(own)
    found = shutil.which(name)
    if found is None or os.path.realpath(found) == os.path.realpath(sys.argv[0]):
        raise FileNotFoundError(f"found no program {own}; install the wheel of this platform")
    return found


def run(arguments: Sequence[str], **options: Any) -> subprocess.CompletedProcess[Any]:
    """Runs the command, as subprocess.run does: run(["-q"], cwd="game", check=True)."""
    return subprocess.run([program_path(), *arguments], **options)


def main() -> int:
    """The command `assetc` that pip installs."""
    program = program_path()
    if sys.platform == "win32":  # the process stays, because exec would return to the shell at once
        return subprocess.call([program, *sys.argv[1:]])
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
