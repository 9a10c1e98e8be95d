// SPDX-License-Identifier: Apache-2.0
// Preloaded by tests/referee/hosts. MPICH 4.0.2 over UCX and TCP hangs in MPI_Finalize about every
// second time on four hosts or more. It disconnects its end points and then waits in a barrier that
// nothing moves on. Here end points are left as they are, and end with the process.

/// Stands for UCX's own; returns "completed".
extern "C" void* ucp_disconnect_nb(void* /*end_point*/) { return nullptr; }
