# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel of the Python package `cleave`, with the command `cleave` in it: what pip calls by pyproject.toml.

CMake builds the command alone, without MPI, in build/wheel. The libraries that it loads are packed beside it with their
licences, all but those of glibc. So the wheel runs wherever glibc is not older. Needs no other package of Python.
"""

import base64
import hashlib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = re.search(r"^project\(cleave VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text(), flags=re.M)[1]
OF_GLIBC = r"linux-vdso|ld-linux|lib(c|m|dl|rt|pthread)\.so"
METADATA = f"""Metadata-Version: 2.1
Name: cleave
Version: {VERSION}
Summary: Models of run times from tables and traces: predictions, plans and pages
License: Apache-2.0
Requires-Python: >=3.9
Requires-Dist: pandas>=1.5
Provides-Extra: plot
Requires-Dist: matplotlib; extra == "plot"
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    libc, _, glibc = os.confstr("CS_GNU_LIBC_VERSION").partition(" ")
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_{platform.machine()}"
    info = f"cleave-{VERSION}.dist-info"
    files = {f"cleave/{file.name}": file for file in (ROOT / "models/python/cleave").glob("*.py")}
    files |= {f"{info}/licenses/{name}": ROOT / name for name in ("LICENSE", "NOTICE")}
    command = _build()
    files["cleave/bin/cleave"] = command
    for library in _libraries(command):
        files[f"cleave/bin/{library.name}"] = library
        files |= {f"{info}/licenses/{library.name}": file for file in _licence(library)}
    files |= {f"{info}/METADATA": METADATA.encode(),
              f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: cleave\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(),
              f"{info}/entry_points.txt": b"[console_scripts]\ncleave = cleave:main\n"}
    record = ""
    name = f"cleave-{VERSION}-{tag}.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for place, file in sorted(files.items()):
            data = file if isinstance(file, bytes) else file.read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{place},sha256={digest},{len(data)}\n"
            _add(wheel, place, data)
        _add(wheel, f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode())
    return name


def build_sdist(sdist_directory, config_settings=None):
    """The files of the last commit."""
    name = f"cleave-{VERSION}"
    subprocess.run(["git", "archive", f"--prefix={name}/", f"--add-virtual-file={name}/PKG-INFO:{METADATA}",
                    "-o", pathlib.Path(sdist_directory, f"{name}.tar.gz").resolve(), "HEAD"], cwd=ROOT, check=True)
    return f"{name}.tar.gz"


def _build():
    build = ROOT / "build/wheel"
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON",
                    "-DCLEAVE_MPI=none", *(f"-DCLEAVE_{part}=OFF" for part in ("APPS", "INSTALL", "TESTS")),
                    # The old tag of paths also holds for what libraries load.
                    "-DCMAKE_EXE_LINKER_FLAGS=-s -Wl,--disable-new-dtags,-rpath,'$ORIGIN'"], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "cleave"], check=True)
    return build / "bin/cleave"


def _libraries(command):
    loaded = subprocess.run(["ldd", command], check=True, capture_output=True, text=True).stdout
    return [pathlib.Path(path) for name, path in re.findall(r"(\S+) => (/\S+)", loaded) if not re.match(OF_GLIBC, name)]


def _licence(library):
    """Debian's file of a library's licences."""
    owner = "" if not shutil.which("dpkg") else subprocess.run(
        ["dpkg", "-S", f"*/{library.resolve().name}"], capture_output=True, text=True).stdout.split(":")[0]
    return [file for file in [pathlib.Path("/usr/share/doc", owner, "copyright")] if owner and file.exists()]


def _add(wheel, place, data):
    entry = zipfile.ZipInfo(place)  # of 1980, so that equal files are equal wheels
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100755 if "/bin/" in place else 0o100644) << 16
    wheel.writestr(entry, data)
