// SPDX-License-Identifier: Apache-2.0
// All of Cleave's public headers.
#pragma once

#include <cleave/application.hpp>
#include <cleave/bag.hpp>
#include <cleave/check.hpp>
#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/figures.hpp>
#include <cleave/file.hpp>
#include <cleave/frontier.hpp>
#include <cleave/hosts.hpp>
#include <cleave/incumbent.hpp>
#include <cleave/options.hpp>
#include <cleave/part.hpp>
#include <cleave/program.hpp>
#include <cleave/random.hpp>
#include <cleave/row.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/study.hpp>
#include <cleave/trace.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>
#include <cleave/write_trace.hpp>
