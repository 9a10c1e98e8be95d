// SPDX-License-Identifier: Apache-2.0
// What a call of MPI returned.
#pragma once

#include <mpi.h>

#include <cleave/comm.hpp>

namespace cleave::detail {

/// \throws MpiError  if it is no success
inline void check_mpi(const char* call, int code) {
  if (code != MPI_SUCCESS) {
    throw MpiError(call, code);
  }
}

}  // namespace cleave::detail
