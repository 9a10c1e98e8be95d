// SPDX-License-Identifier: Apache-2.0
// Work stealing of applications whose types are not known: their tasks are long.
#include <cleave/kernel/any_app.hpp>

namespace cleave::detail {

template <>
struct Tasks<AnyApp> {
  using Problem = ErasedValue;
  using Solution = ErasedValue;
  static constexpr bool kInMany = true;
  static constexpr bool kHasAfter = true;
  using Solutions = std::vector<std::optional<ErasedValue>>;

  bool trivial(const ErasedValue& problem) const { return app.trivial(problem); }
  bool small(const ErasedValue& problem) const { return app.small(problem); }
  ErasedValue conquer(ErasedValue&& problem) const { return app.conquer(std::move(problem)); }
  ErasedValue whole(ErasedValue&& problem) const { return app.sequential(std::move(problem), {}); }
  Values divide(ErasedValue& problem) const { return app.divide(problem, {.left = 1, .total = 2}); }
  ErasedValue combine(Solutions& solutions) const {
    Values all;
    for (auto& each : solutions) {
      all.push_back(*std::exchange(each, std::nullopt));
    }
    return app.combine(std::move(all));
  }
  ErasedValue combine(ErasedValue&& left, ErasedValue&& right) const {
    Values both = list_of(std::move(left));
    both.push_back(std::move(right));
    return app.combine(std::move(both));
  }
  ErasedValue after(const ErasedValue& problem, ErasedValue&& solution) const {
    return app.after(problem, std::move(solution));
  }
  static ErasedValue erased(ErasedValue&& solution) { return std::move(solution); }

  static void pack_problem(Packer& packer, const ErasedValue& problem) { problem.pack(packer); }
  ErasedValue unpack_problem(Unpacker& unpacker) const {
    return ErasedValue::unpack(*app.traits().problem.ops, unpacker);
  }
  static void pack_solution(Packer& packer, const ErasedValue& solution) { solution.pack(packer); }
  ErasedValue unpack_solution(Unpacker& unpacker) const {
    return ErasedValue::unpack(*app.traits().solution.ops, unpacker);
  }

  const AnyApp& app;
};

ErasedValue steal_long_tasks(const AnyApp& app, const Given& given, const CallOptions& options,
                             const SearchMessages& ranks) {
  return app.traits().is_commutative ? search_by<Reduction<AnyApp>>(app, app, given, options, ranks)
                                     : search_by<ForkJoin<AnyApp>>(app, app, given, options, ranks);
}

}  // namespace cleave::detail
