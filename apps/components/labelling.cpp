// SPDX-License-Identifier: Apache-2.0
#include "apps/components/labelling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/row.hpp>

#include "apps/components/union_find.hpp"

namespace cleave::components {

namespace {

constexpr std::size_t kTail = 4;
constexpr std::size_t kBits = 32;  ///< vertices in a word of bits
constexpr std::array<std::string_view, 3> kEncodingNames = {"dense", "changed", "giant"};

/// To encode and to decode a vertex, roughly: estimates, on a 2.45 GHz EPYC.
constexpr double kEncode_s_per_vertex = 0.9e-9;
constexpr double kDecode_s_per_vertex = 0.9e-9;

std::size_t words_of_bits(std::size_t vertices) { return (vertices + kBits - 1) / kBits; }

/// Appends the words of a message from its bits and the labels that go with them.
class Encoder {
 public:
  /// \param giant  the label that is told by a bit of its own; none if it is not a label
  Encoder(std::span<const Vertex> labels, std::optional<Vertex> giant, Row<Vertex>& words)
      : labels_(labels), giant_(giant), words_(words) {}

  /// The bits of all vertices, those of the giant after them, then the labels.
  void run() {
    const std::size_t bit_words = words_of_bits(labels_.size());
    const std::size_t first_label = giant_ ? 2 * bit_words + 1 : bit_words;
    words_.resize(first_label + labels_.size() + kTail);
    std::size_t end = first_label;
    for (std::size_t word = 0; word < bit_words; ++word) {
      const std::size_t first = word * kBits;
      const std::size_t count = std::min(kBits, labels_.size() - first);
      Vertex told = 0;
      Vertex in_giant = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const Vertex label = labels_[first + i];
        const Vertex is_giant = giant_ && label == *giant_ ? 1 : 0;
        const Vertex is_told = label != first + i && is_giant == 0 ? 1 : 0;
        told |= is_told << i;
        in_giant |= is_giant << i;
        words_[end] = label;
        end += is_told;
      }
      words_[word] = told;
      if (giant_) {
        words_[bit_words + word] = in_giant;
      }
    }
    if (giant_) {
      words_[2 * bit_words] = *giant_;
    }
    words_.resize(end);
  }

 private:
  std::span<const Vertex> labels_;
  std::optional<Vertex> giant_;
  Row<Vertex>& words_;
};

[[noreturn]] void refuse_message() { throw Error("message damaged: it holds no labels"); }

/// Fills `labels` from what an Encoder wrote. \throws Error
void decode(std::span<const Vertex> words, bool has_giant, std::span<Vertex> labels) {
  const std::size_t bit_words = words_of_bits(labels.size());
  const std::size_t first_label = has_giant ? 2 * bit_words + 1 : bit_words;
  if (words.size() < first_label) {
    refuse_message();
  }
  const Vertex giant = has_giant ? words[2 * bit_words] : 0;
  std::size_t next = first_label;
  bool is_label = true;
  for (std::size_t word = 0; word < bit_words; ++word) {
    const std::size_t first = word * kBits;
    const std::size_t count = std::min(kBits, labels.size() - first);
    const Vertex told = words[word];
    const Vertex in_giant = has_giant ? words[bit_words + word] : 0;
    if (static_cast<std::size_t>(std::popcount(told)) > words.size() - next) {
      refuse_message();
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto vertex = static_cast<Vertex>(first + i);
      Vertex label = vertex;
      if ((told >> i & 1) != 0) {
        label = words[next++];
      } else if ((in_giant >> i & 1) != 0) {
        label = giant;
      }
      is_label = is_label && label <= vertex;
      labels[vertex] = label;
    }
  }
  if (!is_label || next != words.size()) {
    refuse_message();
  }
}

}  // namespace

std::string_view name_of(Encoding encoding) {
  return kEncodingNames.at(static_cast<std::size_t>(encoding));
}

double exchange_gap_s_per_byte(const detail::Machine& machine, int ranks) {
  // Oversubscribed entries come last, then those of the nearest number of ranks first.
  const auto order = [ranks](const detail::Communication& c) {
    return std::pair(c.oversubscribed, std::abs(c.ranks - ranks));
  };
  double gap = 0;
  std::pair<bool, int> best{true, std::numeric_limits<int>::max()};
  for (const detail::Communication& c : machine.exchange) {
    if (order(c) < best) {
      best = order(c);
      gap = 0;
    }
    if (order(c) == best) {
      gap = std::max(gap, c.gap_s_per_byte);
    }
  }
  return gap;
}

Labelling::Labelling(Vertex vertices) : words_(std::size_t{vertices} + kTail) {
  std::iota(words_.begin(), words_.end() - kTail, Vertex{0});
  std::fill(words_.end() - kTail, words_.end(), Vertex{0});
  *(words_.end() - 2) = vertices;
}

Vertex Labelling::vertices() const { return words_.empty() ? 0 : words_[words_.size() - 2]; }

std::int64_t Labelling::edges() const {
  if (words_.empty()) {
    return 0;
  }
  const auto low = words_[words_.size() - kTail];
  const auto high = words_[words_.size() - kTail + 1];
  return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
}

void Labelling::set_edges(std::int64_t edges) {
  words_[words_.size() - kTail] = static_cast<Vertex>(edges);
  words_[words_.size() - kTail + 1] = static_cast<Vertex>(static_cast<std::uint64_t>(edges) >> 32);
}

Labels labels_of(const Labelling& labelling) {
  const auto labels = labelling.labels();
  return {labels.begin(), labels.end()};
}

Encoding encoding_of(const Labelling& labelling, const EncodingChoice& choice) {
  if (choice.prescribed) {
    return *choice.prescribed;
  }
  // One exchange of K bytes takes 2 (l + K g): docs/explanation/model.md, eq. 9.
  const double word_s = 2 * choice.gap_s_per_byte * sizeof(Vertex);
  const auto labels = labelling.labels();
  const auto vertices = static_cast<double>(labels.size());
  const double coding_s = (kEncode_s_per_vertex + kDecode_s_per_vertex) * vertices;
  const double dense_s = word_s * vertices;
  if (labels.empty() || coding_s >= dense_s) {
    return Encoding::dense;
  }
  const Vertex giant = most_frequent(labels);
  std::size_t unchanged = 0;
  std::size_t in_giant = 0;
  for (std::size_t v = 0; v < labels.size(); ++v) {
    unchanged += labels[v] == v ? 1U : 0U;
    in_giant += labels[v] == giant ? 1U : 0U;
  }
  const auto changed = static_cast<double>(labels.size() - unchanged);
  const auto bits = static_cast<double>(words_of_bits(labels.size()));
  const double changed_s = coding_s + word_s * (bits + changed);
  const double giant_s =
      coding_s + word_s * (2 * bits + 2 + changed - static_cast<double>(in_giant));
  if (dense_s <= std::min(changed_s, giant_s)) {
    return Encoding::dense;
  }
  return changed_s <= giant_s ? Encoding::changed : Encoding::giant;
}

}  // namespace cleave::components

namespace cleave {

using namespace components;

std::span<const Vertex> wire<Labelling>::view(const Labelling& labelling, Row<Vertex>& scratch) {
  const Encoding encoding = encoding_of(labelling, labelling.choice_);
  if (encoding == Encoding::dense || labelling.vertices() == 0) {
    return labelling.words_;
  }
  const auto labels = labelling.labels();
  const bool tells_giant = encoding == Encoding::giant;
  Encoder(labels, tells_giant ? std::optional(most_frequent(labels)) : std::nullopt, scratch).run();
  const auto tail = std::span(labelling.words_).last(kTail);
  scratch.insert(scratch.end(), tail.begin(), tail.end());
  scratch.back() = static_cast<Vertex>(encoding);
  return scratch;
}

Labelling wire<components::Labelling>::restore(Row<Vertex> words) {
  if (words.empty()) {
    return {};
  }
  if (words.size() < kTail || words.back() > static_cast<Vertex>(Encoding::giant)) {
    refuse_message();
  }
  const auto encoding = static_cast<Encoding>(words.back());
  const Vertex vertices = words[words.size() - 2];
  Labelling labelling;
  labelling.has_crossed_ = true;
  if (encoding == Encoding::dense) {
    if (words.size() != vertices + kTail) {
      refuse_message();
    }
    labelling.words_ = std::move(words);
    return labelling;
  }
  const auto encoded = std::span(words).first(words.size() - kTail);
  if (words_of_bits(vertices) > encoded.size()) {
    refuse_message();
  }
  labelling.words_.resize(vertices + kTail);
  decode(encoded, encoding == Encoding::giant, std::span(labelling.words_).first(vertices));
  std::copy(words.end() - kTail, words.end(), labelling.words_.end() - kTail);
  labelling.words_.back() = static_cast<Vertex>(Encoding::dense);
  return labelling;
}

}  // namespace cleave
