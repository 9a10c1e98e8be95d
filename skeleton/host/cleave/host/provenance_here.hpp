// SPDX-License-Identifier: Apache-2.0
// What a program knows of itself and of the host that it runs on.
#pragma once

#include <string>

#include <cleave/trace/provenance.hpp>

namespace cleave::detail {

/// Everything but `mpi_library`, which takes MPI to find out.
Provenance provenance_here(std::string program, std::string command_line, std::string clock);

/// The version of Cleave, e.g. "0.1.0", and the commit that it was built from.
std::string version();
std::string commit();

}  // namespace cleave::detail
