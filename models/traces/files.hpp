// SPDX-License-Identifier: Apache-2.0
// What models/ takes from the files that cross from running to modelling (traces and machines), and
// from the skeleton's ways with command lines. It takes nothing else of the skeleton's internals.
#pragma once

#include <cleave/detail/trace/json_fields.hpp>
#include <cleave/detail/trace/machine_file.hpp>
#include <cleave/detail/trace/median.hpp>
#include <cleave/detail/trace/provenance.hpp>
#include <cleave/detail/trace/span.hpp>
#include <cleave/detail/trace/trace_file.hpp>
#include <cleave/detail/trace/words.hpp>
#include <cleave/detail/trace/worker_statistics.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

namespace cleave::models {

using detail::Block;
using detail::block_named;
using detail::check_format;
using detail::Communication;
using detail::communication_from;
using detail::format_ranks;
using detail::JsonFields;
using detail::kBlockNames;
using detail::Machine;
using detail::median;
using detail::MessageSamples;
using detail::MessageSegment;
using detail::name_of;
using detail::parse_json_object;
using detail::Provenance;
using detail::provenance_from;
using detail::provenance_here;
using detail::read_machine;
using detail::read_trace;
using detail::Span;
using detail::to_json;
using detail::Trace;
using detail::usable_cores;
using detail::WorkerStatistics;
using detail::write_machine;

}  // namespace cleave::models
