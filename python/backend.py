"""Builds the wheel of the package touchline without any build tool (PEP 517)."""

import base64
import hashlib
import pathlib
import tarfile
import zipfile

HERE = pathlib.Path(__file__).parent
NAME, VERSION = "touchline", "0.1.0"
INFO = f"{NAME}-{VERSION}.dist-info"
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Environments of the Very Small Size robot soccer league, with the interface of gymnasium
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: numpy
"""
WHEEL = "Wheel-Version: 1.0\nGenerator: touchline\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def _write(wheel_directory, packages):
    """Writes a wheel with the metadata and packages, a dict of names and contents."""
    name = f"{NAME}-{VERSION}-py3-none-any.whl"
    record = []
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in {**packages, f"{INFO}/METADATA": METADATA.encode(), f"{INFO}/WHEEL": WHEEL.encode()}.items():
            wheel.writestr(path, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")
        wheel.writestr(f"{INFO}/RECORD", "".join(record) + f"{INFO}/RECORD,,\n")
    return name


def _modules():
    """Returns the files of the package: modules, and the page of a training."""
    return sorted(p for p in (HERE / NAME).iterdir() if p.suffix in (".py", ".html"))


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel with the modules."""
    return _write(wheel_directory, {f"{NAME}/{p.name}": p.read_bytes() for p in _modules()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds a wheel that leads to this folder."""
    return _write(wheel_directory, {f"{NAME}.pth": f"{HERE}\n".encode()})


def build_sdist(sdist_directory, config_settings=None):
    """Builds an archive of the sources."""
    base = f"{NAME}-{VERSION}"
    with tarfile.open(pathlib.Path(sdist_directory) / f"{base}.tar.gz", "w:gz") as archive:
        for path in [HERE / "pyproject.toml", HERE / "backend.py", *_modules()]:
            archive.add(path, f"{base}/{path.relative_to(HERE)}")
    return f"{base}.tar.gz"
