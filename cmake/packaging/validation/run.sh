#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
. ./setup.sh
set -ex
${TEST_RUN:-mpiexec -n 2} validated/build/validated --size N=10000 --repetitions 2 --verify
