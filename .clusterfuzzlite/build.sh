#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds a fuzzer for each reader, with its corpus and the libraries that it loads, into $OUT. The variables are OSS-Fuzz's.
set -euo pipefail
# Libraries of the system are of g++'s standard library.
cmake -S "$SRC/cleave" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG= -DCMAKE_UNITY_BUILD=ON \
  "-DCMAKE_CXX_COMPILER=$CXX" "-DCMAKE_CXX_FLAGS=${CXXFLAGS/-stdlib=libc++/}" "-DCLEAVE_FUZZING_ENGINE=$LIB_FUZZING_ENGINE" \
  -DCLEAVE_FUZZ=ON -DCLEAVE_TESTS=OFF -DCLEAVE_WASM_COMPILER=false '-DCMAKE_EXE_LINKER_FLAGS=-Wl,--disable-new-dtags,-rpath,$ORIGIN/lib'
cmake --build "$WORK/build" --target reader_fuzzer
mkdir -p "$OUT/lib"
ldd "$WORK/build/bin/reader_fuzzer" | awk '$3 ~ /^\// && $1 !~ /^lib(c|m|dl|rt|pthread)\.so/ {print $3}' | xargs -I FILE cp FILE "$OUT/lib"
for corpus in "$SRC"/cleave/tests/fuzz/corpus/*; do
  cp "$WORK/build/bin/reader_fuzzer" "$OUT/${corpus##*/}"
  (cd "$corpus" && python3 -m zipfile -c "$OUT/${corpus##*/}_seed_corpus.zip" *)
done
