// SPDX-License-Identifier: Apache-2.0
// What models/ takes from the files that cross from running to modelling (traces and machines), and
// from the skeleton's ways with command lines. It takes nothing else of the skeleton's internals.
#pragma once

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/trace/worker_statistics.hpp>

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
using detail::read_machine;
using detail::read_trace;
using detail::Span;
using detail::to_json;
using detail::Trace;
using detail::WorkerStatistics;
using detail::write_machine;

}  // namespace cleave::models
