# SPDX-License-Identifier: Apache-2.0
# The Debian packages: `cmake --build BUILD --target package`, or `cpack -G DEB` in the build folder. Two builds of
# one commit with one SOURCE_DATE_EPOCH and one umask are the same bit for bit.
# Debian wants an address, and the project has none: SUPPORT.md. The domain `invalid` is reserved for that.
set(maintainer "Cleave developers <cleave@no-address.invalid>")
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(CONFIGURE OUTPUT changelog CONTENT "cleave (@PROJECT_VERSION@) unstable; urgency=medium

  * CHANGELOG.md of the sources says what is new.

 -- @maintainer@  @date@
" @ONLY)
execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR} COMMAND_ERROR_IS_FATAL ANY)

# debian_package(NAME COMPONENT SECTION ARCHITECTURE DESCRIPTION [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...])
macro(debian_package name component section architecture description)
  cmake_parse_arguments(arg "" "" "DEPENDS;RECOMMENDS;SUGGESTS" ${ARGN})
  string(TOUPPER CPACK_DEBIAN_${component} variable)
  set(${variable}_PACKAGE_NAME ${name})
  set(${variable}_PACKAGE_SECTION ${section})
  if(NOT "${architecture}" STREQUAL "")  # else the machine's
    set(${variable}_PACKAGE_ARCHITECTURE ${architecture})
  endif()
  set(${variable}_DESCRIPTION "${description}")
  foreach(relation IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN arg_${relation} ", " ${variable}_PACKAGE_${relation})
  endforeach()
  install(FILES copyright ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz
          DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component} EXCLUDE_FROM_ALL)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
endmacro()

set(CPACK_COMPONENTS_ALL)
if(programs)
  debian_package(cleave cleave_tools science ""
"sorts files, searches trees and predicts run times on clusters
Programs that sort files, label graphs and search trees on all cores and
hosts; calibrate a machine, fit models to runs, and predict run times."
    DEPENDS mpich SUGGESTS cleave-dev cleave-doc python3-cleave)
  set(CPACK_DEBIAN_CLEAVE_TOOLS_PACKAGE_SHLIBDEPS ON)  # the libraries of the programs
  debian_package(python3-cleave cleave_python python all
"traces and predictions of cleave as pandas DataFrames
Reads traces, models and machines, and asks the program cleave for fits,
predictions and plans."
    DEPENDS python3 python3-pandas RECOMMENDS cleave)
endif()
debian_package(cleave-dev cleave_dev libdevel ""
"divide-and-conquer over MPI with traces and predicted run times
Five sequential functions make a parallel MPI program, a trace of every
block, and a prediction of its run time on other numbers of ranks. The
package holds the library with its headers."
  DEPENDS mpich libmpich-dev libfmt-dev nlohmann-json3-dev libboost-context1.81-dev libhwloc-dev libcli11-dev cmake g++
          "make | ninja-build"
  RECOMMENDS "cleave (= ${PROJECT_VERSION})" SUGGESTS cleave-doc)

# The pages, with what they link to outside docs/; the examples as they stand.
find_package(Python3 COMPONENTS Interpreter QUIET)
if(Python3_FOUND)
  debian_package(cleave-doc cleave_doc doc all
"tutorial, guides, reference and examples of cleave
How to write, run and predict a divide-and-conquer program over MPI.")
  set(doc ${CMAKE_INSTALL_DATADIR}/doc/cleave-doc)
  set(pages ${CMAKE_CURRENT_BINARY_DIR}/pages)
  install(CODE "execute_process(COMMAND \"${PROJECT_SOURCE_DIR}/docs/site/stage\" \"${PROJECT_SOURCE_DIR}\" \"${pages}\"
                                COMMAND_ERROR_IS_FATAL ANY)" COMPONENT cleave_doc EXCLUDE_FROM_ALL)
  install(DIRECTORY ${pages}/pages/ ${PROJECT_SOURCE_DIR}/apps/examples DESTINATION ${doc}
          COMPONENT cleave_doc EXCLUDE_FROM_ALL PATTERN CMakeLists.txt EXCLUDE)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_NAME cleave)
set(CPACK_PACKAGE_VENDOR "Cleave developers")
set(CPACK_PACKAGE_CONTACT "${maintainer}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # Each has its own.
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS  # not what the umask leaves
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
include(CPack)
