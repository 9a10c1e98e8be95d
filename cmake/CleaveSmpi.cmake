# SPDX-License-Identifier: Apache-2.0
# MPI::MPI_CXX of SimGrid's SMPI: what links it runs on simulated hosts, by tests/referee/simulate. The
# headers are those that tests/referee/setup unpacks.
set(simgrid ${PROJECT_SOURCE_DIR}/build/simgrid/usr)
find_path(SIMGRID_INCLUDE_DIR smpi/mpi.h PATHS ${simgrid}/include NO_DEFAULT_PATH)
find_library(SIMGRID_LIBRARY NAMES libsimgrid.so.3.32)
if(NOT SIMGRID_INCLUDE_DIR OR NOT SIMGRID_LIBRARY)
  message(FATAL_ERROR "SimGrid is not set up: run tests/referee/setup")
endif()

# A rank is a copy of the program, loaded as a shared library into the simulator's process, so that
# each has global variables of its own; those that GCC makes unique in a process would be common to
# all. Functions are called and inlined as in a program.
add_compile_options(-fPIC -fno-semantic-interposition -fno-gnu-unique)

add_library(MPI::MPI_CXX INTERFACE IMPORTED GLOBAL)
target_include_directories(MPI::MPI_CXX INTERFACE ${SIMGRID_INCLUDE_DIR} ${SIMGRID_INCLUDE_DIR}/smpi)
target_link_libraries(MPI::MPI_CXX INTERFACE ${SIMGRID_LIBRARY})
target_link_options(MPI::MPI_CXX INTERFACE -shared -Wl,-z,defs)
# Whoever sleeps lets simulated time pass, not the simulator's.
target_compile_definitions(MPI::MPI_CXX INTERFACE nanosleep=smpi_nanosleep usleep=smpi_usleep)
set(MPIEXEC_EXECUTABLE ${PROJECT_SOURCE_DIR}/tests/referee/simulate)

enable_language(C)
set(preload_sources clock.c memory.c)
list(TRANSFORM preload_sources PREPEND ${PROJECT_SOURCE_DIR}/tests/referee/smpi_preload/)
add_library(smpi_preload MODULE ${preload_sources})
set_target_properties(smpi_preload PROPERTIES UNITY_BUILD OFF C_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib COMPILE_OPTIONS "" LINK_LIBRARIES "${CMAKE_DL_LIBS}")
