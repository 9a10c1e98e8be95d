# SPDX-License-Identifier: Apache-2.0
# The folder is a test of E4S's validation suite, as validation_tests/cleave there. Where `cleave` is in PATH and CMake finds
# the package, it runs anywhere: compile.sh, run.sh, clean.sh.
command -v cleave >/dev/null || { . ../../setup.sh && spackLoadUnique cleave; }
