// The node function of Prins et al. (2003), "UPC implementation of an unbalanced tree search
// benchmark", for trees whose nodes have 0 or K children. apps/uts has the whole benchmark; this is
// only what a space tree needs of it and is to be replaced by that code.
#pragma once

#include <array>
#include <cstdint>

#include "skeleton/splitting/frontier.hpp"

namespace cleave::spacetree {

/// A node's 160-bit number, most significant byte first.
using UtsId = std::array<unsigned char, 20>;

/// The root's number is `r` itself.
UtsId uts_root(std::uint32_t r);

/// SHA-1 of the parent's number followed by i as four bytes, most significant first.
UtsId uts_child(const UtsId& parent, splitting::Index i);

/// Whether the node has children: its last four bytes as a number below q * 2^32.
bool uts_interior(const UtsId& id, double q);

}  // namespace cleave::spacetree
