#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. ./setup.sh
set -ex
cleave new validated
cmake -S validated -B validated/build -DCMAKE_BUILD_TYPE=Release
cmake --build validated/build
