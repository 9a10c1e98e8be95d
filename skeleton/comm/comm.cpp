// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <deque>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace.hpp>

namespace cleave {

namespace detail {

/// A communicator's ranks and hosts, kept with it as an MPI attribute.
struct CommState {
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0;
  int size = 1;
  std::optional<Hosts> hosts;
};

}  // namespace detail

using namespace detail;

namespace {

constexpr int kTag = 1;
constexpr int kPolledTag = 2;
constexpr std::size_t kMaxBytesInOneCall = std::size_t{1} << 30;

bool has_simulated_clock() {
  static const bool is_simulated = simulates_hosts(mpi_library());
  return is_simulated;
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
    check_mpi("MPI_Comm_create_keyval",
              MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_state, &made, nullptr));
    return made;
  }();
  return key;
}

std::unique_ptr<CommState> make_state(MPI_Comm user) {
  auto state = std::make_unique<CommState>();
  check_mpi("MPI_Comm_dup", MPI_Comm_dup(user, &state->comm));
  MPI_Comm_set_errhandler(state->comm, MPI_ERRORS_RETURN);
  MPI_Comm_rank(state->comm, &state->rank);
  MPI_Comm_size(state->comm, &state->size);
  state->hosts.emplace(state->comm);
  return state;
}

const CommState* state_of(MPI_Comm user) {
  int has_begun = 0;
  int has_ended = 0;
  MPI_Initialized(&has_begun);
  MPI_Finalized(&has_ended);
  if (has_begun == 0 || has_ended != 0) {
    throw Error("MPI is not running: call DC_Call between MPI_Init and MPI_Finalize");
  }
  if (user == MPI_COMM_NULL) {
    throw Error("Options::comm is MPI_COMM_NULL: this executor needs a communicator");
  }
  void* attribute = nullptr;
  int found = 0;
  check_mpi("MPI_Comm_get_attr", MPI_Comm_get_attr(user, state_key(), &attribute, &found));
  if (found == 0) {
    int has_two_groups = 0;
    check_mpi("MPI_Comm_test_inter", MPI_Comm_test_inter(user, &has_two_groups));
    if (has_two_groups != 0) {
      throw Error("Options::comm is an intercommunicator: DC_Call needs the ranks of one group");
    }
    attribute = make_state(user).release();
    check_mpi("MPI_Comm_set_attr", MPI_Comm_set_attr(user, state_key(), attribute));
  }
  return static_cast<const CommState*>(attribute);
}

template <class Byte>
std::span<Byte> piece_at(std::span<Byte> bytes, std::size_t at, std::size_t piece_bytes) {
  return bytes.subspan(at, std::min(piece_bytes, bytes.size() - at));
}

/// The messages of one search at a time, polled and two-sided: one-sided steals gain nothing with
/// MPICH, which moves them while the victim calls MPI. Ranks part once no message is under way.
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const Comm& comm) : comm_(comm) {}
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  /// Waits until what was sent has left, which it may never do where an exception ends the search.
  ~MpiTransport() override {
    int has_ended = 0;
    MPI_Finalized(&has_ended);
    if (std::uncaught_exceptions() > exceptions_) {
      // MPI may still read them.
      [[maybe_unused]] const auto* const kept = new auto(std::move(sent_));
      return;
    }
    for (auto sent = sent_.begin(); has_ended == 0 && sent != sent_.end(); ++sent) {
      MPI_Wait(&sent->request, MPI_STATUS_IGNORE);
    }
  }

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  std::int64_t now_ns() const override { return mpi_time_ns(); }

  void send(int to, Bytes bytes) override {
    for (int has_left = 1; !sent_.empty();) {
      check_mpi("MPI_Test", MPI_Test(&sent_.front().request, &has_left, MPI_STATUS_IGNORE));
      if (has_left == 0) {
        break;
      }
      sent_.pop_front();
    }
    if (bytes.size() > std::numeric_limits<int>::max()) {
      throw Error(fmt::format("a message of a search has {} bytes, at most {} are allowed",
                              bytes.size(), std::numeric_limits<int>::max()));
    }
    Sent& sent = sent_.emplace_back(Sent{.bytes = std::move(bytes)});
    check_mpi("MPI_Isend", MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()),
                                     MPI_BYTE, to, kPolledTag, comm_.handle(), &sent.request));
  }

  std::optional<Message> receive() override {
    int there = 0;
    MPI_Status status;
    check_mpi("MPI_Iprobe",
              MPI_Iprobe(MPI_ANY_SOURCE, kPolledTag, comm_.handle(), &there, &status));
    if (there == 0) {
      return std::nullopt;
    }
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    Message message{.from = status.MPI_SOURCE, .bytes = Bytes(static_cast<std::size_t>(count))};
    check_mpi("MPI_Recv", MPI_Recv(message.bytes.data(), count, MPI_BYTE, message.from, kPolledTag,
                                   comm_.handle(), MPI_STATUS_IGNORE));
    return message;
  }

 private:
  struct Sent {
    Bytes bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  Comm comm_;
  const int exceptions_ = std::uncaught_exceptions();
  std::deque<Sent> sent_;  ///< messages that may not have left yet
};

std::uint64_t hash_of_host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi("MPI_Get_processor_name", MPI_Get_processor_name(name.data(), &length));
  return crc_64(std::as_bytes(std::span(name.data(), static_cast<std::size_t>(length))));
}

/// The ranks of this host, in order.
std::vector<int> ranks_of_host(const Comm& comm) {
  const std::vector<int>& hosts = hosts_of(comm).of_ranks();
  std::vector<int> ranks;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (hosts[rank] == hosts[comm.rank()]) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

}  // namespace

void detail::check_mpi(const char* call, int code) {
  if (code != MPI_SUCCESS) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    MPI_Error_string(code, text.data(), &length);
    throw Error(fmt::format("{} failed: {}", call, std::string_view(text.data(), length)));
  }
}

Comm::Comm(MPI_Comm comm) : state_(state_of(comm)) {}

Comm Comm::as_rank(int rank, int size) {
  static std::map<std::pair<int, int>, CommState> states;
  CommState& state = states[{rank, size}];
  state = *Comm(MPI_COMM_SELF).state_;
  state.rank = rank;
  state.size = size;
  return Comm(&state);
}

int Comm::rank() const { return state_->rank; }
int Comm::size() const { return state_->size; }
MPI_Comm Comm::handle() const { return state_->comm; }

const Hosts& hosts_of(const Comm& comm) { return *comm.state_->hosts; }

void Comm::wait_all(std::span<MPI_Request> requests) const {
  const int count = static_cast<int>(requests.size());
  if (!state_->hosts->oversubscribed()) {
    check_mpi("MPI_Waitall", MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE));
    return;
  }
  int done = 0;
  for (int tries = 0;; ++tries) {
    check_mpi("MPI_Testall", MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE));
    if (done != 0) {
      return;
    }
    pause_thread(tries, true);
  }
}

void Comm::exchange(int partner, std::span<const std::byte> out, std::span<std::byte> in) const {
  const Outbound to{partner, out};
  const Inbound from{partner, in};
  exchange_pieces({&to, 1}, {&from, 1}, kMaxBytesInOneCall);
}

/// By rounds of 1 MiB of each. On shared memory that takes half the time of whole messages, which
/// fall out of the cache between their two copies.
void Comm::exchange(std::span<const Outbound> out, std::span<const Inbound> in) const {
  exchange_pieces(out, in, std::size_t{1} << 20);
}

void Comm::exchange_pieces(std::span<const Outbound> out, std::span<const Inbound> in,
                           std::size_t piece_bytes) const {
  boost::container::small_vector<MPI_Request, 8> requests;  // a simulator's ranks share a thread
  for (std::size_t at = 0;; at += piece_bytes) {
    requests.clear();
    for (const Inbound& message : in) {
      if (at < message.bytes.size()) {
        const auto piece = piece_at(message.bytes, at, piece_bytes);
        check_mpi("MPI_Irecv",
                  MPI_Irecv(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, message.from,
                            kTag, state_->comm, &requests.emplace_back()));
      }
    }
    for (const Outbound& message : out) {
      if (at < message.bytes.size()) {
        const auto piece = piece_at(message.bytes, at, piece_bytes);
        check_mpi("MPI_Isend", MPI_Isend(piece.data(), static_cast<int>(piece.size()), MPI_BYTE,
                                         message.to, kTag, state_->comm, &requests.emplace_back()));
      }
    }
    if (requests.empty()) {
      return;
    }
    wait_all(requests);
  }
}

void Comm::send(int to, std::span<const std::byte> message) const { exchange(to, message, {}); }

void Comm::receive(int from, std::span<std::byte> message) const { exchange(from, {}, message); }

template <class Block, class Post, class... Arguments>
void Comm::collective(const char* call, Block block, Post post, Arguments... arguments) const {
  if (!state_->hosts->oversubscribed()) {
    check_mpi(call, block(arguments..., state_->comm));
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(call, post(arguments..., state_->comm, &request));
  wait_all({&request, 1});
}

void Comm::barrier() const { collective("MPI_Barrier", MPI_Barrier, MPI_Ibarrier); }

/// Two ranks exchange their few values, which takes half of the time of MPI's collective.
void Comm::reduce(std::span<std::int64_t> values, MPI_Op op) const {
  std::array<std::int64_t, 4> theirs{};
  if (state_->hosts->of_ranks().size() == 2 && values.size() <= theirs.size()) {
    exchange(1 - rank(), std::as_bytes(values),
             std::as_writable_bytes(std::span(theirs)).first(values.size_bytes()));
    std::ranges::transform(
        values, std::span(theirs).first(values.size()), values.begin(),
        [op](std::int64_t a, std::int64_t b) {
          return op == MPI_MIN ? std::min(a, b) : op == MPI_MAX ? std::max(a, b) : a + b;
        });
    return;
  }
  collective("MPI_Allreduce", MPI_Allreduce, MPI_Iallreduce, MPI_IN_PLACE, values.data(),
             static_cast<int>(values.size()), MPI_INT64_T, op);
}

void Comm::bcast(std::span<std::byte> bytes, int root) const {
  for (std::size_t at = 0; at < bytes.size(); at += kMaxBytesInOneCall) {
    const std::span<std::byte> piece = piece_at(bytes, at, kMaxBytesInOneCall);
    collective("MPI_Bcast", MPI_Bcast, MPI_Ibcast, piece.data(), static_cast<int>(piece.size()),
               MPI_BYTE, root);
  }
}

std::string Comm::bcast(std::string text, int root) const {
  auto length = static_cast<std::int64_t>(text.size());
  bcast(std::as_writable_bytes(std::span(&length, 1)), root);
  text.resize(static_cast<std::size_t>(length));
  bcast(std::as_writable_bytes(std::span(text)), root);
  return text;
}

std::vector<std::int64_t> Comm::gather(std::int64_t value) const {
  std::vector<std::int64_t> values(state_->rank == 0 ? state_->size : 0);
  gather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(values)));
  return values;
}

void Comm::gather(std::span<const std::byte> mine, std::span<std::byte> all) const {
  const int count = static_cast<int>(mine.size());
  collective("MPI_Gather", MPI_Gather, MPI_Igather, mine.data(), count, MPI_BYTE, all.data(), count,
             MPI_BYTE, 0);
}

std::unique_ptr<Transport> Comm::transport() const { return std::make_unique<MpiTransport>(*this); }

void detail::run_and_agree(const Messages& comm, const std::function<void()>& work) {
  std::exception_ptr failure;
  std::string message;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
    message = message_of_exception();
  }
  std::array<std::int64_t, 1> lowest{failure ? comm.rank() : comm.size()};
  comm.allreduce_min(lowest);
  if (lowest[0] == comm.size()) {
    return;
  }
  message = comm.bcast(std::move(message), static_cast<int>(lowest[0]));
  if (comm.rank() == lowest[0]) {
    std::rethrow_exception(failure);
  }
  throw Error(message);
}

void detail::for_each_text(const Comm& comm, const std::string& mine,
                           const std::function<void(const std::string&)>& take) {
  auto length = static_cast<std::int64_t>(mine.size());
  const auto length_bytes = std::as_writable_bytes(std::span(&length, 1));
  if (comm.rank() != 0) {
    comm.send(0, length_bytes);
    comm.send(0, std::as_bytes(std::span(mine)));
    return;
  }
  take(mine);
  std::string theirs;
  for (int rank = 1; rank < comm.size(); ++rank) {
    comm.receive(rank, length_bytes);
    theirs.resize(static_cast<std::size_t>(length));
    comm.receive(rank, std::as_writable_bytes(std::span(theirs)));
    take(theirs);
  }
}

/// By the hosts' names. To split by shared memory would do, but takes SMPI the square of the ranks.
Hosts::Hosts(MPI_Comm comm) {
  struct OfRank {
    std::uint64_t host = 0;
    AllowedCores cores;
  };
  OfRank own{.host = hash_of_host_name(), .cores = summary_of(cores_of_this_host())};
  own.cores.quota = quota_of_this_process();
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<OfRank> all(static_cast<std::size_t>(size));
  check_mpi("MPI_Allgather",
            MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, comm));
  std::unordered_map<std::uint64_t, int> lowest;
  std::unordered_map<std::uint64_t, int> ranks;
  for (int rank = 0; rank < size; ++rank) {
    const OfRank& each = all[static_cast<std::size_t>(rank)];
    of_ranks_.push_back(lowest.try_emplace(each.host, rank).first->second);
    allowed_cores_.push_back(each.cores);
    ranks_per_host_ = std::max(ranks_per_host_, ++ranks[each.host]);
  }
  cores_per_rank_ = cores_per_rank(of_ranks_, allowed_cores_);
}

std::vector<int> detail::hardware_threads_of_workers(const Comm& comm, int threads) {
  const std::vector<int> ranks = ranks_of_host(comm);
  std::vector<AllowedCores> allowed;
  for (const int rank : ranks) {
    allowed.push_back(hosts_of(comm).allowed_cores()[rank]);
  }
  const auto self = static_cast<std::size_t>(std::ranges::find(ranks, comm.rank()) - ranks.begin());
  return simulates_hosts(mpi_library())
             ? std::vector<int>()
             : hardware_threads(cores_of_this_host(), allowed, self, threads);
}

Surroundings Comm::surroundings(int threads) const {
  std::vector<int> near = ranks_of_host(*this);
  std::erase(near, rank());
  return {.near = std::move(near), .is_polite = hosts_of(*this).oversubscribed(threads)};
}

std::string detail::mpi_library() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  std::string library(text.data(), static_cast<std::size_t>(length));
  library.resize(std::min(library.size(), library.find('\n')));
  std::ranges::replace(library, '\t', ' ');
  return library;
}

std::int64_t mpi_time_ns() {
  return has_simulated_clock() ? static_cast<std::int64_t>(MPI_Wtime() * 1e9) : monotonic_ns();
}

std::string mpi_clock_name() { return has_simulated_clock() ? "MPI_Wtime" : "CLOCK_MONOTONIC"; }

}  // namespace cleave
