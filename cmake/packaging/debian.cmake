# SPDX-License-Identifier: Apache-2.0
# The Debian package: `cmake --build BUILD --target package`, or `cpack -G DEB` in the build folder.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cleave)
set(CPACK_PACKAGE_VENDOR "Cleave developers")
set(CPACK_PACKAGE_CONTACT "Cleave developers <cleave@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"Five sequential functions make a parallel MPI program, a trace of every
block, and a prediction of its run time on other numbers of ranks.
The package holds the library with its headers, the applications, and the
programs that calibrate a machine, fit models and predict.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
# Libraries of the programs by dpkg-shlibdeps; then what runs ranks, what the headers include, and
# what compiles a program.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    mpich libmpich-dev libfmt-dev nlohmann-json3-dev libboost1.81-dev libhwloc-dev libcli11-dev cmake g++)
list(JOIN CPACK_DEBIAN_PACKAGE_DEPENDS ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
include(CPack)
