// SPDX-License-Identifier: Apache-2.0
// The protocol on simulated ranks in virtual time, each with the deques of its workers. Messages
// take random times, some very long, so that those of different senders overtake one another at
// will. A rank may be killed. All that is random is drawn from one seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/container/static_vector.hpp>
#include <cstring>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <cleave/kernel/balancer.hpp>
#include <cleave/kernel/segments.hpp>
#include <cleave/random.hpp>

#include "tests/support/number_of.hpp"

namespace cleave::detail {
namespace {

/// A node of a random tree: the children follow from its number.
struct TreeNode {
  std::uint32_t number = 0;
  std::uint32_t depth = 0;
};

constexpr std::uint32_t kMaxChildren = 6;
using Children = boost::container::static_vector<TreeNode, kMaxChildren>;

Children children_of(const TreeNode& node) {
  constexpr std::uint32_t kMaxDepth = 30;
  const std::uint32_t maximum = node.depth < 4 ? kMaxChildren : node.depth < kMaxDepth ? 2 : 0;
  const std::uint64_t random = CounterRandom::mix(node.number + 0x9e3779b97f4a7c15);
  Children children(random % (maximum + 1));
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = {static_cast<std::uint32_t>(CounterRandom::mix(random + i) >> 32),
                   node.depth + 1};
  }
  return children;
}

std::int64_t size_below(const TreeNode& root) {
  std::int64_t size = 0;
  std::vector<TreeNode> stack = {root};
  while (!stack.empty()) {
    const TreeNode node = stack.back();
    stack.pop_back();
    ++size;
    for (const TreeNode& child : children_of(node)) {
      stack.push_back(child);
    }
  }
  return size;
}

/// The state of a rank that writes its part of a snapshot.
struct Part {
  std::vector<std::byte> nodes;  ///< packed
  std::int64_t visited = 0;
};

/// A part of each rank; of none before the first snapshot.
using Snapshot = std::vector<Part>;

class World;

class SimulatedTransport final : public Transport {
 public:
  SimulatedTransport(World& world, int rank) : world_(world), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override;
  void send(int to, std::vector<std::byte> bytes) override;
  std::optional<Message> receive() override;
  std::int64_t now_ns() const override;

 private:
  World& world_;
  int rank_;
};

struct SimulatedRank final : Workload {
  SimulatedRank(World& w, int rank, int workers_)
      : world(w), transport(w, rank), workers(workers_), bag(workers_, 2) {}

  bool passive() override { return !has_failed && bag.size() == 0; }
  bool wants_work() override { return passive(); }
  std::vector<std::byte> give() override {
    constexpr std::size_t kMaxBytes = 20 * sizeof(TreeNode);
    std::vector<std::byte> bytes;
    if (gifts_left > 0) {
      bytes = bag.give(kMaxBytes);
      gifts_left -= bytes.empty() ? 0 : 1;
    }
    return bytes;
  }
  void take(std::span<const std::byte> bytes) override {
    note_first_work();
    bag.take(bytes);
  }
  bool next_parcel(Parcel& parcel) override {
    if (parcels.empty()) {
      return false;
    }
    parcel = std::move(parcels.front());
    parcels.pop_front();
    return true;
  }
  void deliver(std::span<const std::byte> parcel) override {
    ++parcels_received;
    take(parcel);  // a parcel can make a rank active
  }
  std::int64_t incumbent() override { return best; }
  void offer_incumbent(std::int64_t value) override { best = std::min(best, value); }
  void rest(bool on) override { resting = on; }
  bool all_rest() override { return resting; }
  std::uint8_t wishes() override;
  bool write_snapshot() override;
  bool complete_snapshot() override;

  void restore(const Part& part) {
    bag.take(part.nodes);
    visited += part.visited;
  }
  void work(int maximum, std::minstd_rand& random);
  void note_first_work();

  World& world;
  SimulatedTransport transport;
  int workers;
  Segments<TreeNode> bag;
  std::deque<Parcel> parcels;
  std::int64_t visited = 0;
  std::optional<std::int64_t> requests_before_work;  ///< of a rank that was given some
  std::int64_t parcels_sent = 0;
  std::int64_t parcels_received = 0;
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  bool resting = false;
  std::uint8_t wish = kNothing;
  int gifts_left = std::numeric_limits<int>::max();
  bool is_slow = false;     ///< once it gives nothing more, it works in one of 64 of its turns
  unsigned turns = 1;       ///< of so many, it works in one
  bool has_failed = false;  ///< a functor threw: it keeps its nodes and visits none
};

/// Ranks, the messages between them, and a clock.
class World {
 public:
  /// \param newest  what another world of this seed has left
  World(int ranks, std::uint32_t seed, bool sends_parcels, int workers = 1,
        std::int64_t minimum_size = 200, Snapshot newest = {})
      : sends_parcels_(sends_parcels),
        random_(seed + 1),
        root_{seed * 7919, 0},
        newest_(std::move(newest)),
        under_way_(ranks) {
    while ((tree_size_ = size_below(root_)) <= minimum_size) {
      ++root_.number;
    }
    for (int rank = 0; rank < ranks; ++rank) {
      ranks_.push_back(std::make_unique<SimulatedRank>(*this, rank, workers));
    }
    if (newest_.empty()) {
      ranks_[0]->bag.of(0).push(root_);
    }
    for (std::size_t i = 0; i < newest_.size(); ++i) {
      ranks_[i % ranks_.size()]->restore(newest_[i]);
    }
    for (int rank = 0; rank < ranks; ++rank) {
      balancers_.push_back(std::make_unique<Balancer>(ranks_[rank]->transport, *ranks_[rank],
                                                      others_of_host(rank, ranks), seed));
    }
  }

  /// Lets ranks act in random order until all have ended, or the job is killed. \return  whether so
  bool run() {
    std::vector<int> running(ranks_.size());
    for (std::size_t i = 0; i < running.size(); ++i) {
      running[i] = static_cast<int>(i);
    }
    constexpr std::int64_t kMaxActs = 50'000'000;
    for (std::int64_t acts = 0; acts < kMaxActs; ++acts) {
      now_ns_ += static_cast<std::int64_t>(random_() % 2'000);
      if (now_ns_ > kill_at_ns_ && kill(running)) {
        return true;
      }
      const std::size_t which = random_() % running.size();
      const int rank = running[which];
      if (!ranks_[rank]->resting) {
        ranks_[rank]->work(static_cast<int>(random_() % 8), random_);
      }
      if (now_ns_ > wish_at_ns_) {
        SimulatedRank& who = *ranks_[random_() % ranks_.size() * (anyone_wishes_ ? 1 : 0)];
        who.wish = wish_;
        who.has_failed = (wish_ & kLost) != 0;
        wish_at_ns_ = kNever;
      }
      balancers_[rank]->step();
      if (balancers_[rank]->outcome() != Balancer::Outcome::running) {
        EXPECT_EQ(messages_under_way(rank), 0) << "to rank " << rank << ", which has ended";
        running.erase(running.begin() + static_cast<std::ptrdiff_t>(which));
        if (running.empty()) {
          return true;
        }
      }
    }
    return false;
  }

  /// After this time rank 0, or any rank, wishes for something; for what is lost once it failed.
  void wish_at(std::int64_t at_ns, std::uint8_t wish, bool anyone) {
    wish_at_ns_ = at_ns;
    wish_ = wish;
    anyone_wishes_ = anyone;
  }

  /// After this time some rank is killed, and the launcher ends the others a while later.
  void kill_at(std::int64_t at_ns) { kill_at_ns_ = at_ns; }
  bool is_killed() const { return is_killed_; }

  /// Rank 0 wishes for a snapshot each time that so long has passed.
  void snapshot_every(std::int64_t period_ns) {
    snapshot_period_ns_ = period_ns;
    snapshot_at_ns_ = now_ns_ + period_ns;
  }
  bool snapshot_is_due() const { return now_ns_ > snapshot_at_ns_; }
  /// Begins or goes on with the next snapshot.
  void write_part(Part part) { next_.push_back(std::move(part)); }
  bool is_writing_snapshot() const { return !next_.empty(); }
  /// The next snapshot is whole.
  void complete_snapshot() {
    EXPECT_EQ(next_.size(), ranks_.size());
    newest_ = std::exchange(next_, {});
    ++snapshots;
    snapshot_at_ns_ = now_ns_ + std::min(snapshot_period_ns_, kNever - now_ns_);
  }
  /// The newest one that is whole.
  const Snapshot& newest_snapshot() const { return newest_; }

  std::int64_t visited() const {
    std::int64_t sum = 0;
    for (const auto& rank : ranks_) {
      sum += rank->visited;
    }
    return sum;
  }

  /// Visited nodes and all that lies below those that some rank holds.
  std::int64_t accounted_for() const {
    std::int64_t sum = visited();
    for (const auto& rank : ranks_) {
      rank->bag.for_each([&sum](const TreeNode& node) { sum += size_below(node); });
    }
    return sum;
  }

  std::int64_t messages_under_way(int to = -1) const {
    std::int64_t count = 0;
    for (int rank = 0; rank < std::ssize(under_way_); ++rank) {
      for (const auto& [from, queue] : under_way_[rank]) {
        count += to < 0 || rank == to ? std::ssize(queue) : 0;
      }
    }
    return count;
  }

  std::vector<std::unique_ptr<SimulatedRank>>& ranks() { return ranks_; }
  const Balancer& balancer(int rank) const { return *balancers_[rank]; }
  std::int64_t tree_size() const { return tree_size_; }
  bool sends_parcels() const { return sends_parcels_; }
  int snapshots = 0;

  void send(int from, int to, std::vector<std::byte> bytes) {
    // Mostly a few microseconds, sometimes half a millisecond; one sender's keep their order.
    const std::int64_t delay_ns = random_() % 20 == 0 ? random_() % 500'000 : random_() % 10'000;
    auto& queue = under_way_[to][from];
    const std::int64_t after = queue.empty() ? 0 : queue.back().first;
    queue.emplace_back(std::max(after, now_ns_ + delay_ns), std::move(bytes));
  }

  std::optional<Message> receive(int to) {
    // A random one of all senders whose oldest message has arrived.
    std::vector<int> from;
    for (const auto& [sender, queue] : under_way_[to]) {
      if (queue.front().first <= now_ns_) {
        from.push_back(sender);
      }
    }
    if (from.empty()) {
      return std::nullopt;
    }
    const int sender = from[random_() % from.size()];
    Queue& queue = under_way_[to][sender];
    Message message{.from = sender, .bytes = std::move(queue.front().second)};
    queue.pop_front();
    if (queue.empty()) {
      under_way_[to].erase(sender);
    }
    return message;
  }

  std::int64_t now_ns() const { return now_ns_; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  /// Kills one of the ranks, or after it the job. \return  whether none acts any more
  bool kill(std::vector<int>& running) {
    if (is_killed_) {
      return true;
    }
    is_killed_ = true;
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(random_() % running.size()));
    kill_at_ns_ = now_ns_ + static_cast<std::int64_t>(random_() % 100'000);
    return running.empty();
  }

  /// The others of a host of four ranks.
  static std::vector<int> others_of_host(int rank, int ranks) {
    std::vector<int> others;
    for (int other = rank / 4 * 4; other < std::min(ranks, (rank / 4 + 1) * 4); ++other) {
      if (other != rank) {
        others.push_back(other);
      }
    }
    return others;
  }

  using Queue = std::deque<std::pair<std::int64_t, std::vector<std::byte>>>;  // arrival, bytes

  bool sends_parcels_;
  std::minstd_rand random_;
  TreeNode root_;  ///< of a tree of more than `minimum_size` nodes, another for each seed
  std::int64_t tree_size_ = 0;
  std::int64_t now_ns_ = 0;
  std::int64_t kill_at_ns_ = kNever;
  bool is_killed_ = false;
  std::int64_t snapshot_period_ns_ = kNever;
  std::int64_t snapshot_at_ns_ = kNever;
  Snapshot newest_;
  Snapshot next_;  ///< of the ranks that have written theirs
  std::int64_t wish_at_ns_ = kNever;
  std::uint8_t wish_ = kNothing;
  bool anyone_wishes_ = false;
  std::vector<std::map<int, Queue>> under_way_;  ///< by receiver and sender
  std::vector<std::unique_ptr<SimulatedRank>> ranks_;
  std::vector<std::unique_ptr<Balancer>> balancers_;
};

int SimulatedTransport::size() const { return static_cast<int>(world_.ranks().size()); }
void SimulatedTransport::send(int to, std::vector<std::byte> bytes) {
  world_.send(rank_, to, std::move(bytes));
}
std::optional<Message> SimulatedTransport::receive() { return world_.receive(rank_); }
std::int64_t SimulatedTransport::now_ns() const { return world_.now_ns(); }

void SimulatedRank::work(int maximum, std::minstd_rand& random) {
  if (has_failed || random() % turns != 0 || (is_slow && gifts_left == 0 && random() % 64 != 0)) {
    return;
  }
  for (int i = 0; i < maximum && bag.size() > 0; ++i) {
    const int worker = static_cast<int>(random() % static_cast<unsigned>(workers));
    SplitDeque<TreeNode>& mine = bag.of(worker);
    if (!mine.has_private() && bag.steal(worker, 1 + random() % 3) == 0) {
      continue;  // another worker has the nodes, and shares none
    }
    const TreeNode node = mine.pop();
    ++visited;
    best = std::min<std::int64_t>(best, node.number);
    const Children children = children_of(node);
    if (world.sends_parcels() && !children.empty() && random() % 10 == 0) {
      std::vector<std::byte> bytes(children.size() * sizeof(TreeNode));
      std::memcpy(bytes.data(), children.data(), bytes.size());
      const int to = static_cast<int>(random() % world.ranks().size());
      parcels.push_back({.to = to, .bytes = std::move(bytes)});
      ++parcels_sent;
    } else {
      for (const TreeNode& child : children) {
        mine.push(child);
      }
    }
    bag.share(worker);
  }
}

void SimulatedRank::note_first_work() {
  if (!requests_before_work) {
    requests_before_work = world.balancer(transport.rank()).statistics().tried;
  }
}

std::uint8_t SimulatedRank::wishes() {
  const bool is_due = transport.rank() == 0 && world.snapshot_is_due();
  return static_cast<std::uint8_t>(wish | (is_due ? kSnapshot : kNothing));
}

bool SimulatedRank::write_snapshot() {
  EXPECT_TRUE(resting);
  for (const auto& rank : world.ranks()) {
    EXPECT_TRUE(rank->parcels.empty());
  }
  Packer nodes;
  bag.for_each([&nodes](const TreeNode& node) { pack_element<TreeNode>(nodes, node); });
  world.write_part({.nodes = {nodes.bytes().begin(), nodes.bytes().end()}, .visited = visited});
  return true;
}

bool SimulatedRank::complete_snapshot() {
  EXPECT_EQ(world.accounted_for(), world.tree_size()) << "something was under way";
  world.complete_snapshot();
  for (const auto& rank : world.ranks()) {
    rank->wish &= static_cast<std::uint8_t>(~kSnapshot);
  }
  return true;
}

constexpr int kSeeds = 60;

/// All that a run may meet, drawn at random: how many ranks and workers, which are slow, what is
/// sent beside nodes, when a rank wants a snapshot or an end, has failed or is killed.
World drawn_world(std::mt19937_64& random, std::uint32_t seed, const Snapshot& newest) {
  const int ranks = random() % 32 == 0 ? 40 : 1 + static_cast<int>(random() % 9);
  const int workers = 1 + static_cast<int>(random() % 3);
  constexpr std::int64_t kMinimumSize = 20;
  World world(ranks, seed, random() % 2 == 0, workers, kMinimumSize, newest);
  for (const auto& rank : world.ranks()) {
    rank->turns = random() % 8 == 0 ? 8 : 1;
  }
  constexpr std::array<std::uint8_t, 5> kWishes = {kNothing, kSnapshot, kEnd, kEnd | kSnapshot,
                                                   kEnd | kLost};
  if (const std::uint8_t wish = kWishes[random() % kWishes.size()]; wish != kNothing) {
    world.wish_at(static_cast<std::int64_t>(random() % 300'000), wish, wish != kSnapshot);
  }
  if (random() % 2 == 0) {
    world.snapshot_every(static_cast<std::int64_t>(2'000 + random() % 50'000));
    world.kill_at(static_cast<std::int64_t>(random() % 1'500'000));
  }
  return world;
}

void expect_as_promised(World& world, std::uint32_t seed) {
  ASSERT_TRUE(world.run()) << "schedule " << seed << " hangs";
  if (world.is_killed()) {
    return;
  }
  ASSERT_EQ(world.messages_under_way(), 0) << "schedule " << seed;
  const Balancer::Outcome outcome = world.balancer(0).outcome();
  bool is_wished = false;
  for (int rank = 0; rank < std::ssize(world.ranks()); ++rank) {
    ASSERT_EQ(world.balancer(rank).outcome(), outcome) << "schedule " << seed << ", rank " << rank;
    is_wished = is_wished || (world.ranks()[rank]->wish & kEnd) != 0;
  }
  ASSERT_EQ(world.accounted_for(), world.tree_size()) << "schedule " << seed;
  if (outcome == Balancer::Outcome::done) {
    ASSERT_EQ(world.visited(), world.tree_size()) << "schedule " << seed;
  } else {
    ASSERT_TRUE(is_wished) << "schedule " << seed << " ended for no reason";
    for (const auto& rank : world.ranks()) {
      ASSERT_EQ(rank->wish & kSnapshot, 0) << "schedule " << seed << " ended without its snapshot";
    }
  }
}

/// Counts of what has happened in schedules.
struct Course {
  int kills = 0;
  int kills_in_snapshots = 0;  ///< of these, when some ranks had written their parts
  int completed_after_resume = 0;
};

/// Runs a world, and after one that is killed another, from the newest snapshot that is whole.
void run_schedule(std::uint32_t seed, Course& course) {
  std::mt19937_64 random(seed);
  Snapshot newest;
  for (bool goes_on = true; goes_on;) {
    World world = drawn_world(random, seed, newest);
    ASSERT_NO_FATAL_FAILURE(expect_as_promised(world, seed));
    goes_on = world.is_killed();
    course.kills += goes_on ? 1 : 0;
    course.kills_in_snapshots += goes_on && world.is_writing_snapshot() ? 1 : 0;
    const bool is_done = !goes_on && world.balancer(0).outcome() == Balancer::Outcome::done;
    course.completed_after_resume += is_done && !newest.empty() ? 1 : 0;
    newest = world.newest_snapshot();
  }
}

/// CLEAVE_INTERLEAVINGS=1000000 tries so many.
TEST(Balancer, AnyScheduleEndsWithTheExactCountOrAsOneOnAllRanks) {
  const std::uint32_t tries = testing::number_of("CLEAVE_INTERLEAVINGS", 2000);
  Course course;
  for (std::uint32_t seed = 0; seed < tries; ++seed) {
    ASSERT_NO_FATAL_FAILURE(run_schedule(seed, course));
  }
  EXPECT_GT(course.kills, tries / 4);
  EXPECT_GT(course.kills_in_snapshots, tries / 20);
  EXPECT_GT(course.completed_after_resume, tries / 25);
}

TEST(Balancer, SharesTheWork) {
  std::vector<double> minimum;  // share of a rank, of the mean
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    World world(8, seed, false);
    ASSERT_TRUE(world.run());
    std::vector<std::int64_t> visited;
    for (const auto& rank : world.ranks()) {
      visited.push_back(rank->visited);
    }
    minimum.push_back(8.0 * static_cast<double>(std::ranges::min(visited)) /
                      static_cast<double>(world.tree_size()));
  }
  std::ranges::nth_element(minimum, minimum.begin() + kSeeds / 2);
  EXPECT_GT(minimum[kSeeds / 2], 0.3);
}

/// A rank waits for its parent at the beginning, so many have their first work of it. The trees are
/// small here, so the parent often runs dry.
TEST(Balancer, TheFirstWorkComesUnasked) {
  for (const int ranks : {17, 40}) {
    int with_work = 0;
    int at_once = 0;
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      World world(ranks, seed, false);
      ASSERT_TRUE(world.run());
      for (const auto& rank : world.ranks()) {
        with_work += rank->requests_before_work ? 1 : 0;
        at_once += rank->requests_before_work == 1 ? 1 : 0;
      }
    }
    EXPECT_GT(at_once, with_work * 45 / 100) << at_once << " of " << with_work << ", " << ranks;
  }
}

/// Fifteen ranks wait for work of rank 0, which is slow and has none to spare any more.
TEST(Balancer, WhoWaitsForARankWithoutSpareNodesAsksOthers) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    World world(17, seed, false);
    world.ranks()[0]->gifts_left = 1;  // to rank 16
    world.ranks()[0]->is_slow = true;
    ASSERT_TRUE(world.run());
    ASSERT_EQ(world.visited(), world.tree_size());
    for (int rank = 1; rank < 16; ++rank) {
      EXPECT_GT(world.balancer(rank).statistics().tried, 1) << "rank " << rank << ", seed " << seed;
    }
  }
}

TEST(Balancer, TheIncumbentReachesEveryRank) {
  World world(17, 5, false);
  world.ranks()[11]->best = -5;
  ASSERT_TRUE(world.run());
  for (const auto& rank : world.ranks()) {
    EXPECT_EQ(rank->best, -5);
  }
}

TEST(Balancer, WorksAtFiveHundredRanks) {
  World world(500, 2, true);
  ASSERT_TRUE(world.run());
  EXPECT_EQ(world.visited(), world.tree_size());
}

}  // namespace
}  // namespace cleave::detail