// SPDX-License-Identifier: Apache-2.0
// The ranks of a call, as executors see them: ranks of MPI, or ranks that are not there
// (virtual_ranks.hpp, played_messages.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/hosts.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

using Bytes = std::vector<std::byte>;

/// One rank among the others. Every function means what it means of Comm.
class Messages {
 public:
  virtual ~Messages() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void exchange(int partner, std::span<const std::byte> out,
                        std::span<std::byte> in) const = 0;
  virtual void exchange(std::span<const Comm::Outbound> out,
                        std::span<const Comm::Inbound> in) const = 0;
  virtual void send(int to, std::span<const std::byte> message) const = 0;
  virtual void receive(int from, std::span<std::byte> message) const = 0;
  virtual void allreduce_min(std::span<std::int64_t> values) const = 0;
  virtual std::string bcast(std::string text, int root) const = 0;

  /// The executor is about to make this step of this rank.
  virtual void begin(const Step& /*step*/, int /*level*/) const {}
};

/// One rank of a search among the others.
class SearchMessages : public Messages {
 public:
  virtual void gather(std::span<const std::byte> mine, std::span<std::byte> all) const = 0;
  /// The polled messages of this rank.
  virtual std::unique_ptr<Transport> transport() const = 0;
  virtual Surroundings surroundings(int threads, bool is_bound) const = 0;
  /// Null where the ranks are not MPI's.
  virtual const Comm* comm() const { return nullptr; }
};

class MpiMessages : public SearchMessages {
 public:
  /// \param is_polite  whether others want the cores of these ranks
  explicit MpiMessages(Comm comm, bool is_polite = false) : comm_(comm), is_polite_(is_polite) {}

  int rank() const override { return comm_.rank(); }
  int size() const override { return comm_.size(); }
  void exchange(int partner, std::span<const std::byte> out,
                std::span<std::byte> in) const override {
    comm_.exchange(partner, out, in);
  }
  void exchange(std::span<const Comm::Outbound> out,
                std::span<const Comm::Inbound> in) const override {
    comm_.exchange(out, in);
  }
  void send(int to, std::span<const std::byte> message) const override { comm_.send(to, message); }
  void receive(int from, std::span<std::byte> message) const override {
    comm_.receive(from, message);
  }
  void allreduce_min(std::span<std::int64_t> values) const override { comm_.allreduce_min(values); }
  std::string bcast(std::string text, int root) const override {
    return comm_.bcast(std::move(text), root);
  }
  void gather(std::span<const std::byte> mine, std::span<std::byte> all) const override {
    comm_.gather(mine, all);
  }
  std::unique_ptr<Transport> transport() const override;
  Surroundings surroundings(int threads, bool is_bound) const override {
    Surroundings surroundings = surroundings_of(comm_, threads, is_bound);
    surroundings.is_polite |= is_polite_;
    return surroundings;
  }
  const Comm* comm() const override { return &comm_; }

 private:
  const Comm comm_;
  const bool is_polite_;
};

}  // namespace cleave::detail
