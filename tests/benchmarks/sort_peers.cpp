// SPDX-License-Identifier: Apache-2.0
// Quicksort of several kinds of keys against the sorts that Debian packages, alternating in one
// run. Prints median times and their ratios to VQSort alone on one core. On 2 ranks the keys lie
// distributed; the threaded peers have 2 threads. VQSort sorts records as integers of 128 bits.
//
//   mpiexec -bind-to core -n 2 sort_peers [REPETITIONS] [CASE...] > sort_peers.json
#include <hwy/contrib/sort/vqsort.h>
#include <hwy/targets.h>
#ifdef CLEAVE_HAS_IPS4O
#include <ips4o.hpp>
#endif
#include <omp.h>
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <algorithm>
#include <boost/sort/sort.hpp>
#include <parallel/algorithm>

#include <cleave/dc_call.hpp>
#include <cleave/program/measure.hpp>

#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/keys.hpp"
#include "tests/benchmarks/side_by_side.hpp"

namespace cleave::benchmarks {

using namespace cleave::detail;
using namespace quicksort;
namespace {

constexpr int kThreads = 2;

constexpr std::int64_t kKeys = 32 << 20;

/// A sort of keys; what is timed is the sort alone.
template <class Key>
struct Peer {
  std::string name;
  RunsOn ranks;  ///< on rank 0 it sorts all keys
  std::function<void(Part<Key>&)> sort;
};

/// Lets threads that a launcher has bound to one core have them all.
void use_all_cores() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    CPU_SET(core, &all);
  }
  ::sched_setaffinity(0, sizeof(all), &all);
}

template <class Key>
void sort_by_vqsort(Part<Key>& keys) {
  const hwy::Sorter sorter;
  if constexpr (std::same_as<Key, Record>) {
    sorter(reinterpret_cast<hwy::uint128_t*>(keys.data()), keys.size(), hwy::SortAscending());
  } else {
    sorter(keys.data(), keys.size(), hwy::SortAscending());
  }
}

/// By AVX2 also where the processor has AVX-512, which is slow on some.
template <class Key>
void sort_by_avx2(Part<Key>& keys) {
  const std::int64_t supported = hwy::SupportedTargets();
  constexpr std::int64_t kBetter = HWY_AVX2 - 1;  // a better target has a lower bit
  hwy::GetChosenTarget().Update(supported & ~kBetter);
  sort_by_vqsort(keys);
  hwy::GetChosenTarget().Update(supported);
}

/// \param are_all  or Cleave, VQSort and IPS4o alone
template <class Key>
std::vector<Peer<Key>> peers_of(bool are_all) {
  const auto ours = [](MPI_Comm ranks) {
    return [ranks](Part<Key>& keys) {
      keys = DC_Call(DC_Type::hypercube, HypercubeQuicksort<Key>{}, std::move(keys),
                     {.comm = ranks, .placement = Placement::distributed});
    };
  };
  std::vector<Peer<Key>> peers = {{"VQSort", RunsOn::rank_0, sort_by_vqsort<Key>},
                                  {"VQSort of each half", RunsOn::all_ranks, sort_by_vqsort<Key>},
                                  {"VQSort by AVX2", RunsOn::rank_0, sort_by_avx2<Key>},
                                  {"cleave", RunsOn::all_ranks, ours(MPI_COMM_WORLD)},
                                  {"cleave, 1 rank", RunsOn::rank_0, ours(MPI_COMM_SELF)}};
  const auto add = [&](const char* name, auto sort) {
    peers.push_back(
        {name, RunsOn::rank_0, [sort](Part<Key>& keys) { sort(keys.begin(), keys.end()); }});
  };
#ifdef CLEAVE_HAS_IPS4O
  add("IPS4o",
      [](auto begin, auto end) { ips4o::parallel::sort(begin, end, std::less<>(), kThreads); });
#endif
  if (are_all) {
    add("oneTBB parallel_sort", [](auto begin, auto end) { tbb::parallel_sort(begin, end); });
    add("__gnu_parallel::sort", [](auto begin, auto end) { __gnu_parallel::sort(begin, end); });
    add("Boost block_indirect_sort",
        [](auto begin, auto end) { boost::sort::block_indirect_sort(begin, end, kThreads); });
    add("Boost pdqsort", [](auto begin, auto end) { boost::sort::pdqsort(begin, end); });
    add("std::sort", [](auto begin, auto end) { std::sort(begin, end); });
  }
  return peers;
}

template <class Key>
double seconds_of(const Comm& comm, const Peer<Key>& peer, KeyOrder order) {
  const bool is_spread = peer.ranks == RunsOn::all_ranks;
  const std::int64_t ranks = is_spread ? comm.size() : 1;
  const std::int64_t rank = is_spread ? comm.rank() : 0;
  return seconds_of(
      comm, peer.ranks,
      [&] {
        const std::int64_t first = kKeys * rank / ranks;
        Part<Key> keys(static_cast<std::size_t>(kKeys * (rank + 1) / ranks - first));
        GeneratedKeys<Key>(order, kKeys, 1).fill(first, {keys.data(), keys.size()});
        return keys;
      },
      [&](Part<Key> keys) {
        peer.sort(keys);
        return keys;
      },
      [&](const Part<Key>& keys) {
        if (!std::is_sorted(keys.begin(), keys.end())) {
          throw Error(peer.name + " did not sort");
        }
      });
}

/// All that sort one kind of keys, in turn; or Cleave, VQSort and IPS4o alone.
template <class Key, KeyOrder order, bool are_all = false>
nlohmann::ordered_json contest(const Comm& comm, int repetitions) {
  std::vector<Entrant> entrants;
  for (const Peer<Key>& peer : peers_of<Key>(are_all)) {
    entrants.push_back({peer.name, [&comm, peer] { return seconds_of(comm, peer, order); }});
  }
  alternate(entrants, repetitions);
  nlohmann::ordered_json json;
  for (const Entrant& entrant : entrants) {
    const double seconds = median(entrant.samples);
    json.push_back({{"name", entrant.name},
                    {"median_seconds", seconds},
                    {"over_vqsort", seconds / median(entrants[0].samples)},
                    {"seconds", entrant.samples}});
  }
  return json;
}

}  // namespace
}  // namespace cleave::benchmarks

int main(int argc, char** argv) {
  using namespace cleave::benchmarks;
  use_all_cores();
  cleave::detail::keep_freed_memory();
  omp_set_num_threads(kThreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kThreads);
  return run_cases(argc, argv, "sort_peers", 7,
                   {{"int32", contest<std::int32_t, KeyOrder::uniform, true>},
                    {"int64", contest<std::int64_t, KeyOrder::uniform>},
                    {"float", contest<float, KeyOrder::uniform>},
                    {"double", contest<double, KeyOrder::uniform>},
                    {"record", contest<Record, KeyOrder::uniform>},
                    {"equal", contest<std::int32_t, KeyOrder::equal>},
                    {"reverse", contest<std::int32_t, KeyOrder::reverse>},
                    {"sorted", contest<std::int32_t, KeyOrder::sorted>},
                    {"few", contest<std::int32_t, KeyOrder::few>}});
}
