# SPDX-License-Identifier: Apache-2.0
# cleave-skeleton.pc and cleave-program.pc. They find their folder by their own place, so that the
# installed files can be moved.
file(RELATIVE_PATH to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" to_prefix "${to_prefix}")

# MPI as CMake found it: by its own package, where pkg-config knows the same one, else by paths. Without MPI's old C++
# interface, which is not used.
set(libraries ${MPI_CXX_LIBRARIES})
list(FILTER libraries EXCLUDE REGEX "mpi(ch)?_?cxx")
set(folders ${MPI_CXX_INCLUDE_DIRS})
set(pkg_config_requires)
if(CLEAVE_MPI STREQUAL openmpi)
  set(mpi_package ompi-c)
else()
  set(mpi_package mpich)
endif()
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(known_mpi QUIET ${mpi_package})
  if(known_mpi_FOUND AND known_mpi_INCLUDE_DIRS STREQUAL MPI_CXX_INCLUDE_DIRS)
    set(pkg_config_requires ${mpi_package})
    set(libraries)
    set(folders)
  endif()
endif()
list(JOIN libraries " " pkg_config_mpi)
list(APPEND folders ${Boost_INCLUDE_DIRS})
list(REMOVE_DUPLICATES folders)
list(REMOVE_ITEM folders /usr/include)
list(TRANSFORM folders PREPEND -I OUTPUT_VARIABLE flags)
set(pkg_config_flags ${flags} -DMPICH_SKIP_MPICXX -DOMPI_SKIP_MPICXX)
list(JOIN pkg_config_flags " " pkg_config_flags)

set(names skeleton)
if(CLEAVE_PROGRAM)
  list(APPEND names program)
endif()
foreach(name IN LISTS names)
  configure_file(cleave-${name}.pc.in cleave-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cleave-${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT cleave_dev)
endforeach()
