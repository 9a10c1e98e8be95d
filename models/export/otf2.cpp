// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <otf2/otf2.h>

#include <algorithm>
#include <cstdarg>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <cleave/error.hpp>

#include "models/export/exports.hpp"
#include "models/report/timeline.hpp"

namespace cleave::models {

namespace {

namespace fs = std::filesystem;

constexpr const char* kAnchor = "traces";  // traces.otf2
constexpr std::uint64_t kEventChunk = 1 << 20;
constexpr std::uint64_t kDefinitionChunk = 4 << 20;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// The library prints what goes wrong unless it is told otherwise; its return codes say it, too.
OTF2_ErrorCode be_quiet(void* /*data*/, const char* /*file*/, std::uint64_t /*line*/,
                        const char* /*function*/, OTF2_ErrorCode code, const char* /*format*/,
                        va_list /*arguments*/) {
  return code;
}

void check(OTF2_ErrorCode code) {
  if (code != OTF2_SUCCESS) {
    throw Error(fmt::format("OTF2: {}", OTF2_Error_GetDescription(code)));
  }
}

template <class Handle>
Handle* made(Handle* handle) {
  if (handle == nullptr) {
    throw Error("OTF2: a file cannot be made");
  }
  return handle;
}

OTF2_FlushType flush_always(void* /*data*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*writer*/, bool /*is_final*/) {
  return OTF2_FLUSH;
}

constexpr OTF2_FlushCallbacks kFlush = {.otf2_pre_flush = flush_always, .otf2_post_flush = nullptr};

/// The numbers by which an archive calls names, from 0 on; definitions are to be in their order.
class Names {
 public:
  std::uint32_t operator()(std::string_view name) {
    const auto next = static_cast<std::uint32_t>(in_order_.size());
    const auto [place, is_new] = of_.try_emplace(std::string(name), next);
    if (is_new) {
      in_order_.push_back(place->first);
    }
    return place->second;
  }
  const std::vector<std::string>& in_order() const { return in_order_; }

 private:
  std::map<std::string, std::uint32_t> of_;
  std::vector<std::string> in_order_;
};

/// The spans of one rank, or of one worker.
struct Track {
  std::span<const PlacedSpan> spans;
  std::uint64_t events = 0;

  int rank() const { return spans.front().rank; }
  int worker() const { return spans.front().worker; }
};

std::vector<Track> tracks_of(const Timeline& timeline) {
  std::vector<Track> tracks;
  const std::span<const PlacedSpan> all = timeline.spans;
  for (std::size_t first = 0; first < all.size();) {
    std::size_t end = first + 1;
    while (end < all.size() && all[end].rank == all[first].rank &&
           all[end].worker == all[first].worker) {
      ++end;
    }
    tracks.push_back({.spans = all.subspan(first, end - first)});
    first = end;
  }
  return tracks;
}

class Archive {
 public:
  Archive(const detail::Trace& trace, const fs::path& folder)
      : trace_(trace),
        timeline_(timeline_of(trace)),
        tracks_(tracks_of(timeline_)),
        archive_(
            made(OTF2_Archive_Open(folder.c_str(), kAnchor, OTF2_FILEMODE_WRITE, kEventChunk,
                                   kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)),
            OTF2_Archive_Close) {
    check(OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    check(OTF2_Archive_SetCreator(archive_.get(), "cleave export"));
    check(OTF2_Archive_SetDescription(archive_.get(), trace.run.app.c_str()));
  }

  void write() {
    write_events();
    write_local_definitions();
    write_definitions();
    check(OTF2_Archive_Close(archive_.release()));
  }

 private:
  using Attributes = std::unique_ptr<OTF2_AttributeList, decltype(&OTF2_AttributeList_Delete)>;

  struct Open {
    const PlacedSpan* placed;
    std::uint32_t region;
  };

  void write_events() {
    check(OTF2_Archive_OpenEvtFiles(archive_.get()));
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      OTF2_EvtWriter* const writer = made(OTF2_Archive_GetEvtWriter(archive_.get(), i));
      write_track(writer, tracks_[i]);
      check(OTF2_EvtWriter_GetNumberOfEvents(writer, &tracks_[i].events));
      check(OTF2_Archive_CloseEvtWriter(archive_.get(), writer));
    }
    check(OTF2_Archive_CloseEvtFiles(archive_.get()));
  }

  /// The repetitions of a track, one after the other.
  void write_track(OTF2_EvtWriter* writer, const Track& track) {
    std::int64_t now_ns = 0;
    for (std::size_t first = 0; first < track.spans.size();) {
      const int repetition = track.spans[first].span->repetition;
      std::size_t end = first;
      std::int64_t end_ns = 0;
      for (; end < track.spans.size() && track.spans[end].span->repetition == repetition; ++end) {
        end_ns = std::max(end_ns, track.spans[end].end_ns);
      }
      const PlacedSpan& begin = track.spans[first];
      require_order(now_ns <= begin.begin_ns, begin);
      const std::uint32_t region = regions_(is_warm_up(repetition) ? "warm-up" : "repetition");
      enter(writer, begin.begin_ns, region, {{"repetition", repetition}});
      write_spans(writer, track.spans.subspan(first, end - first));
      leave(writer, end_ns, region);
      now_ns = end_ns;
      first = end;
    }
  }

  /// Spans that lie one behind the other, or one inside another.
  void write_spans(OTF2_EvtWriter* writer, std::span<const PlacedSpan> spans) {
    std::vector<Open> open;
    const auto leave_until = [&](std::int64_t ns) {
      while (!open.empty() && open.back().placed->end_ns <= ns) {
        leave(writer, open.back().placed->end_ns, open.back().region);
        open.pop_back();
      }
    };
    for (const PlacedSpan& placed : spans) {
      leave_until(placed.begin_ns);
      require_order(placed.begin_ns <= placed.end_ns &&
                        (open.empty() || placed.end_ns <= open.back().placed->end_ns),
                    placed);
      NamedSizes attributes = trace_.sizes_of(*placed.span);
      attributes["level"] = placed.span->level;
      attributes["group"] = placed.span->group;
      attributes["bytes"] = placed.span->bytes;
      const std::uint32_t region = regions_(name_of(placed.span->block));
      enter(writer, placed.begin_ns, region, attributes);
      open.push_back({&placed, region});
    }
    leave_until(std::numeric_limits<std::int64_t>::max());
  }

  void enter(OTF2_EvtWriter* writer, std::int64_t ns, std::uint32_t region,
             const NamedSizes& attributes) {
    const Attributes list(made(OTF2_AttributeList_New()), OTF2_AttributeList_Delete);
    for (const auto& [name, value] : attributes) {
      check(OTF2_AttributeList_AddInt64(list.get(), attributes_(name), value));
    }
    check(OTF2_EvtWriter_Enter(writer, list.get(), static_cast<std::uint64_t>(ns), region));
  }

  static void leave(OTF2_EvtWriter* writer, std::int64_t ns, std::uint32_t region) {
    check(OTF2_EvtWriter_Leave(writer, nullptr, static_cast<std::uint64_t>(ns), region));
  }

  void require_order(bool is_in_order, const PlacedSpan& placed) const {
    if (!is_in_order) {
      throw FileError(
          trace_.file,
          fmt::format("rank {}: the span {} of repetition {} from {} ns to {} ns overlaps "
                      "another, which OTF2 cannot hold",
                      placed.rank, name_of(placed.span->block), placed.span->repetition,
                      placed.span->begin_ns, placed.span->end_ns));
    }
  }

  bool is_warm_up(int repetition) const {
    for (const detail::Trace::Run& run : trace_.repetitions) {
      if (run.index == repetition) {
        return run.warm_up;
      }
    }
    return false;
  }

  void write_local_definitions() {
    check(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      OTF2_DefWriter* const writer = made(OTF2_Archive_GetDefWriter(archive_.get(), i));
      check(OTF2_Archive_CloseDefWriter(archive_.get(), writer));
    }
    check(OTF2_Archive_CloseDefFiles(archive_.get()));
  }

  void write_definitions() {
    OTF2_GlobalDefWriter* const writer = made(OTF2_Archive_GetGlobalDefWriter(archive_.get()));
    std::int64_t length_ns = 0;
    for (const PlacedSpan& placed : timeline_.spans) {
      length_ns = std::max(length_ns, placed.end_ns);
    }
    check(OTF2_GlobalDefWriter_WriteClockProperties(writer, kNanosecondsPerSecond, 0,
                                                    static_cast<std::uint64_t>(length_ns) + 1,
                                                    OTF2_UNDEFINED_TIMESTAMP));
    for (const std::string& name : regions_.in_order()) {
      check(OTF2_GlobalDefWriter_WriteRegion(
          writer, regions_(name), text(writer, name), text(writer, name), text(writer, ""),
          role_of(name), OTF2_PARADIGM_USER, OTF2_REGION_FLAG_NONE, text(writer, ""), 0, 0));
    }
    for (const std::string& name : attributes_.in_order()) {
      check(OTF2_GlobalDefWriter_WriteAttribute(writer, attributes_(name), text(writer, name),
                                                text(writer, ""), OTF2_TYPE_INT64));
    }
    write_places(writer);
  }

  static OTF2_RegionRole role_of(std::string_view region) {
    return region == "exchange"                            ? OTF2_REGION_ROLE_POINT2POINT
           : region == "pivot"                             ? OTF2_REGION_ROLE_COLL_ALL2ALL
           : region == "repetition" || region == "warm-up" ? OTF2_REGION_ROLE_CODE
                                                           : OTF2_REGION_ROLE_FUNCTION;
  }

  /// Hosts, their ranks, and the tracks of these. Which rank is on which host is not in a trace:
  /// neighbours are taken to share one, as launchers place them.
  void write_places(OTF2_GlobalDefWriter* writer) {
    constexpr std::uint32_t kMachine = 0;
    check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, kMachine, text(writer, "machine"),
                                                   text(writer, "machine"),
                                                   OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(writer, kMachine,
                                                         OTF2_SYSTEM_TREE_DOMAIN_MACHINE));
    const int on_host = std::max(1, trace_.run.ranks_per_host);
    const bool is_one_host = trace_.run.ranks <= on_host;
    int hosts = 0;
    int ranks = 0;
    int last_rank = -1;
    for (std::size_t i = 0; i < tracks_.size(); ++i) {
      const Track& track = tracks_[i];
      if (i == 0 || track.rank() / on_host != last_rank / on_host) {
        const std::string name = is_one_host ? trace_.run.provenance.host
                                             : fmt::format("host {}", track.rank() / on_host);
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(writer, ++hosts, text(writer, name),
                                                       text(writer, "host"), kMachine));
        check(OTF2_GlobalDefWriter_WriteSystemTreeNodeDomain(
            writer, hosts, OTF2_SYSTEM_TREE_DOMAIN_SHARED_MEMORY));
      }
      if (i == 0 || track.rank() != last_rank) {
        check(OTF2_GlobalDefWriter_WriteLocationGroup(
            writer, ranks++, text(writer, fmt::format("rank {}", track.rank())),
            OTF2_LOCATION_GROUP_TYPE_PROCESS, hosts, OTF2_UNDEFINED_LOCATION_GROUP));
      }
      last_rank = track.rank();
      const char* const kind = timeline_.has_workers ? "worker" : "thread";
      check(OTF2_GlobalDefWriter_WriteLocation(
          writer, i, text(writer, fmt::format("{} {}", kind, track.worker())),
          OTF2_LOCATION_TYPE_CPU_THREAD, track.events, ranks - 1));
    }
  }

  /// The number of a text, which is written before it is first used.
  std::uint32_t text(OTF2_GlobalDefWriter* writer, const std::string& value) {
    const std::size_t known = texts_.in_order().size();
    const std::uint32_t number = texts_(value);
    if (texts_.in_order().size() > known) {
      check(OTF2_GlobalDefWriter_WriteString(writer, number, value.c_str()));
    }
    return number;
  }

  const detail::Trace& trace_;
  Timeline timeline_;
  std::vector<Track> tracks_;
  Names texts_, regions_, attributes_;
  std::unique_ptr<OTF2_Archive, decltype(&OTF2_Archive_Close)> archive_;
};

/// \throws FileError  if something is at `folder` that is no archive
void check_replaceable(const fs::path& folder) {
  std::error_code none;
  const bool is_archive = fs::exists(folder / (std::string(kAnchor) + ".otf2"), none);
  if (fs::exists(fs::symlink_status(folder)) && !is_archive) {
    throw FileError(folder, "is there and no OTF2 archive: name another folder, or remove it");
  }
}

}  // namespace

void write_otf2(const detail::Trace& trace, const fs::path& folder) {
  if (trace.spans.empty()) {
    throw FileError(trace.file, "has no spans");
  }
  check_replaceable(folder);
  OTF2_Error_RegisterCallback(be_quiet, nullptr);
  const fs::path partial = make_folder_beside(folder);
  try {
    Archive(trace, partial).write();
    fs::remove_all(folder);
    fs::rename(partial, folder);
  } catch (...) {
    std::error_code ignored;
    fs::remove_all(partial, ignored);
    try {
      throw;
    } catch (const FileError&) {
      throw;
    } catch (const std::exception& e) {
      throw FileError(folder, e.what());
    }
  }
}

}  // namespace cleave::models
