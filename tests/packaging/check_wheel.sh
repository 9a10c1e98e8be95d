#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the wheel without network, installs it into a fresh environment, and goes from a table to the page by the command
# and in Python, where nothing but glibc is taken from this machine. Exits with 77 where it cannot.
# Called as: check_wheel.sh PYTHON SOURCE_FOLDER
set -euo pipefail
python=$1 source=$2
"$python" -c "import pip, venv, pandas" || { echo "skipped: apt-get install python3-pip python3-venv python3-pandas"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m pip wheel --quiet --no-index --no-deps -w "$work" "$source"
(cd "$source/cmake/packaging" && "$python" -Bc "import cleave_wheel; cleave_wheel.build_sdist('$work')")
tar -tzf "$work"/cleave-*.tar.gz | grep -q '^cleave-[0-9.]*/PKG-INFO$'
"$python" -m venv --system-site-packages "$work/fresh"
"$work/fresh/bin/pip" install --quiet --no-index --no-deps "$work"/cleave-*-manylinux_*.whl
cd "$work"
program=$(echo fresh/lib/*/site-packages/cleave/bin/cleave)
! ldd "$program" | grep -vE "^\s*(linux-vdso|lib(c|m)\.so|/lib.*/ld-linux)|=> $work/" || { echo "error: these are not in the wheel"; exit 1; }
! ldd "$program" | grep mpi || { echo "error: the command loads MPI"; exit 1; }
diff <(cd "${program%/*}" && ls lib*) <(cd fresh/lib/*/site-packages/cleave-*.dist-info/licenses && ls lib*)

sed -n '/^N,ranks,seconds/,/^8000000,8/p' "$source/docs/how-to/model-a-table.md" >times.csv
export PATH=$work/fresh/bin:/usr/bin:/bin
cleave fit times.csv --out times.model.json
cleave predict times.model.json --ranks 16 --size N=16M
cleave plan times.model.json --size N=8M --deadline 1h
cleave report times.model.json times.csv --out pages
[ -s pages/report.html ]
env PATH=/usr/bin:/bin fresh/bin/python - <<'END'
import cleave, pandas, subprocess
model = cleave.fit(pandas.read_csv("times.csv"))
assert len(model.predict([16, 32], {"N": 8000})) == 2
assert open(model.report("by_python")).read(15) == "<!doctype html>"
version = subprocess.run([cleave.command(), "--version"], capture_output=True, text=True).stdout
assert version.startswith(f"cleave {cleave.__version__} "), version
END
