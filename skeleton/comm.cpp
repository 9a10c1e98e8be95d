#include "skeleton/comm.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "skeleton/error.hpp"
#include "skeleton/trace/provenance.hpp"

namespace cleave {

namespace detail {

/// What is known of a communicator, kept with it as an MPI attribute.
struct CommState {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  int ranks_per_host = 1;
  bool oversubscribed = false;
};

}  // namespace detail

namespace {

using detail::CommState;

constexpr int kTag = 1;
constexpr std::size_t kMostBytesInOneCall = std::size_t{1} << 30;

void check(const char* call, int code) {
  if (code != MPI_SUCCESS) {
    throw MpiError(call, code);
  }
}

int free_state(MPI_Comm, int, void* attribute, void*) {
  auto* state = static_cast<CommState*>(attribute);
  MPI_Comm_free(&state->comm);
  delete state;
  return MPI_SUCCESS;
}

int state_key() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    check("MPI_Comm_create_keyval",
          MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &made, nullptr));
    return made;
  }();
  return key;
}

int all_reduce(MPI_Comm comm, int value, MPI_Op op) {
  int result = 0;
  check("MPI_Allreduce", MPI_Allreduce(&value, &result, 1, MPI_INT, op, comm));
  return result;
}

std::unique_ptr<CommState> make_state(MPI_Comm user) {
  auto state = std::make_unique<CommState>();
  check("MPI_Comm_dup", MPI_Comm_dup(user, &state->comm));
  MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(state->comm, &state->rank);
  MPI_Comm_size(state->comm, &state->size);

  MPI_Comm host = MPI_COMM_NULL;
  check("MPI_Comm_split_type",
        MPI_Comm_split_type(state->comm, MPI_COMM_TYPE_SHARED, state->rank, MPI_INFO_NULL, &host));
  int ranks_here = 1;
  MPI_Comm_size(host, &ranks_here);
  MPI_Comm_free(&host);
  // Not the cores that this rank is bound to: one, where a launcher binds each rank apart.
  const auto cores_here = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  state->ranks_per_host = all_reduce(state->comm, ranks_here, MPI_MAX);
  state->oversubscribed = all_reduce(state->comm, ranks_here > cores_here ? 1 : 0, MPI_MAX) != 0;
  return state;
}

const CommState* state_of(MPI_Comm user) {
  int running = 0;
  MPI_Initialized(&running);
  if (running == 0) {
    throw Error("MPI is not running: call MPI_Init before DC_Call");
  }
  if (user == MPI_COMM_NULL) {
    throw Error("Options::comm is MPI_COMM_NULL: this executor needs a communicator");
  }
  void* attribute = nullptr;
  int found = 0;
  check("MPI_Comm_get_attr", MPI_Comm_get_attr(user, state_key(), &attribute, &found));
  if (found == 0) {
    attribute = make_state(user).release();
    check("MPI_Comm_set_attr", MPI_Comm_set_attr(user, state_key(), attribute));
  }
  return static_cast<const CommState*>(attribute);
}

/// Lets another rank of this core run.
void yield_politely(int tries) {
  constexpr int kYieldsBeforeSleep = 100;
  if (tries < kYieldsBeforeSleep) {
    ::sched_yield();
  } else {
    const timespec pause{.tv_sec = 0, .tv_nsec = 1000};
    ::nanosleep(&pause, nullptr);
  }
}

/// Calls `post(data, count)` for each piece of `bytes` that one MPI call can carry.
template <class Byte, class Post>
void for_each_piece(std::span<Byte> bytes, Post&& post) {
  for (std::size_t at = 0; at < bytes.size(); at += kMostBytesInOneCall) {
    const std::size_t count = std::min(kMostBytesInOneCall, bytes.size() - at);
    post(bytes.data() + at, static_cast<int>(count));
  }
}

}  // namespace

Comm::Comm(MPI_Comm comm) : state_(state_of(comm)) {}

int Comm::rank() const { return state_->rank; }
int Comm::size() const { return state_->size; }
int Comm::ranks_per_host() const { return state_->ranks_per_host; }
bool Comm::oversubscribed() const { return state_->oversubscribed; }
MPI_Comm Comm::handle() const { return state_->comm; }

void Comm::wait_all(std::vector<MPI_Request>& requests) const {
  const int count = static_cast<int>(requests.size());
  if (!state_->oversubscribed) {
    check("MPI_Waitall", MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    return;
  }
  int done = 0;
  for (int tries = 0;; ++tries) {
    check("MPI_Testall", MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) {
      return;
    }
    yield_politely(tries);
  }
}

void Comm::exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) const {
  std::vector<MPI_Request> requests;
  for_each_piece(in, [&](std::byte* data, int count) {
    check("MPI_Irecv",
          MPI_Irecv(data, count, MPI_BYTE, partner, kTag, state_->comm, &requests.emplace_back()));
  });
  for_each_piece(out, [&](const std::byte* data, int count) {
    check("MPI_Isend",
          MPI_Isend(data, count, MPI_BYTE, partner, kTag, state_->comm, &requests.emplace_back()));
  });
  wait_all(requests);
}

void Comm::exchange(std::span<const Outbound> out, std::span<const Inbound> in) const {
  static constexpr std::size_t kRoundBytes = std::size_t{1} << 20;
  std::size_t longest = 0;
  for (const Outbound& message : out) {
    longest = std::max(longest, message.bytes.size());
  }
  for (const Inbound& message : in) {
    longest = std::max(longest, message.bytes.size());
  }
  const auto piece = [](auto bytes, std::size_t at) {
    return bytes.subspan(at, std::min(kRoundBytes, bytes.size() - at));
  };
  std::vector<MPI_Request> requests;
  for (std::size_t at = 0; at < longest; at += kRoundBytes) {
    requests.clear();
    for (const Inbound& message : in) {
      if (at < message.bytes.size()) {
        const auto bytes = piece(message.bytes, at);
        check("MPI_Irecv", MPI_Irecv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                     message.from, kTag, state_->comm, &requests.emplace_back()));
      }
    }
    for (const Outbound& message : out) {
      if (at < message.bytes.size()) {
        const auto bytes = piece(message.bytes, at);
        check("MPI_Isend", MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE,
                                     message.to, kTag, state_->comm, &requests.emplace_back()));
      }
    }
    wait_all(requests);
  }
}

void Comm::send(int to, std::span<const std::byte> message) const { exchange(to, message, {}); }

void Comm::receive(int from, std::span<std::byte> message) const { exchange(from, {}, message); }

void Comm::barrier() const {
  std::vector<MPI_Request> request(1);
  check("MPI_Ibarrier", MPI_Ibarrier(state_->comm, request.data()));
  wait_all(request);
}

std::int64_t Comm::reduce(std::int64_t value, MPI_Op op) const {
  std::int64_t result = 0;
  std::vector<MPI_Request> request(1);
  check("MPI_Iallreduce",
        MPI_Iallreduce(&value, &result, 1, MPI_INT64_T, op, state_->comm, request.data()));
  wait_all(request);
  return result;
}

std::int64_t Comm::least(std::int64_t value) const { return reduce(value, MPI_MIN); }
std::int64_t Comm::greatest(std::int64_t value) const { return reduce(value, MPI_MAX); }
std::int64_t Comm::sum(std::int64_t value) const { return reduce(value, MPI_SUM); }

void Comm::broadcast(std::span<std::byte> bytes, int root) const {
  std::vector<MPI_Request> requests;
  for_each_piece(bytes, [&](std::byte* data, int count) {
    check("MPI_Ibcast",
          MPI_Ibcast(data, count, MPI_BYTE, root, state_->comm, &requests.emplace_back()));
  });
  wait_all(requests);
}

std::string Comm::broadcast(std::string text, int root) const {
  auto length = static_cast<std::int64_t>(text.size());
  broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  text.resize(static_cast<std::size_t>(length));
  broadcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

std::vector<std::int64_t> Comm::gather(std::int64_t value) const {
  std::vector<std::int64_t> values(state_->rank == 0 ? state_->size : 0);
  std::vector<MPI_Request> request(1);
  check("MPI_Igather", MPI_Igather(&value, 1, MPI_INT64_T, values.data(), 1, MPI_INT64_T, 0,
                                   state_->comm, request.data()));
  wait_all(request);
  return values;
}

void Comm::all_to_all(std::span<const std::byte> out, std::span<const int> send_counts,
                      std::span<const int> send_offsets, std::span<std::byte> in,
                      std::span<const int> receive_counts,
                      std::span<const int> receive_offsets) const {
  std::vector<MPI_Request> request(1);
  check("MPI_Ialltoallv",
        MPI_Ialltoallv(out.data(), send_counts.data(), send_offsets.data(), MPI_BYTE, in.data(),
                       receive_counts.data(), receive_offsets.data(), MPI_BYTE, state_->comm,
                       request.data()));
  wait_all(request);
}

std::int64_t mpi_time_ns() { return static_cast<std::int64_t>(MPI_Wtime() * 1e9); }

std::vector<std::int64_t> clock_offsets_ns(const Comm& comm) {
  constexpr int kRoundTrips = 20;
  std::vector<std::int64_t> offsets(comm.size(), 0);
  std::int64_t theirs = 0;
  const auto message = std::as_writable_bytes(std::span(&theirs, 1));
  for (int other = 1; other < comm.size(); ++other) {
    if (comm.rank() == 0) {
      std::int64_t fastest = INT64_MAX;
      for (int i = 0; i < kRoundTrips; ++i) {
        const std::int64_t sent = mpi_time_ns();
        comm.send(other, message);
        comm.receive(other, message);
        const std::int64_t received = mpi_time_ns();
        if (received - sent < fastest) {
          fastest = received - sent;
          offsets[other] = theirs - (sent + received) / 2;
        }
      }
    } else if (comm.rank() == other) {
      for (int i = 0; i < kRoundTrips; ++i) {
        comm.receive(0, message);
        theirs = mpi_time_ns();
        comm.send(0, message);
      }
    }
  }
  comm.broadcast(std::as_writable_bytes(std::span(offsets)), 0);
  return offsets;
}

}  // namespace cleave
