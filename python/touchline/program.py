"""Finds the program touchline."""

import os
import pathlib
import shutil
import subprocess
import sys


def find():
    """Returns the path of the program: that of the environment variable TOUCHLINE; in a checkout of the sources that of
    a new build; else the one beside this Python, on the PATH, or where `go install` puts it."""
    if path := os.environ.get("TOUCHLINE"):
        if not os.access(path, os.X_OK):
            raise FileNotFoundError(f"TOUCHLINE is {path}, which is no program")
        return path
    root = pathlib.Path(__file__).resolve().parents[2]
    if (root / "cmd" / "touchline").is_dir() and shutil.which("go"):
        return _build(root)
    installed = pathlib.Path.home() / "go" / "bin"
    for folder in (os.path.dirname(sys.executable), None, installed):  # None: the PATH
        if path := shutil.which("touchline", path=folder):
            return str(path)
    raise FileNotFoundError(
        "the program touchline, which plays the games, is missing: run `go install ./cmd/touchline` in a clone of its "
        "repository (Go: https://go.dev/dl), or set the environment variable TOUCHLINE to its path"
    )


def _build(root):
    """Builds the program of a checkout. Go's cache makes this quick when nothing changed."""
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "touchline"
    cache.mkdir(parents=True, exist_ok=True)
    target = cache / f"touchline-{os.getpid()}"
    built = subprocess.run(["go", "build", "-o", target, "./cmd/touchline"], cwd=root, capture_output=True, text=True)
    if built.returncode != 0:
        raise RuntimeError(f"touchline cannot be built in {root}:\n{built.stderr}")
    os.replace(target, cache / "touchline")  # processes that run keep the program that they started
    return str(cache / "touchline")
