// SPDX-License-Identifier: Apache-2.0
// All of Cleave's public headers.
#pragma once

#include <cleave/application.hpp>
#include <cleave/check.hpp>
#include <cleave/comm.hpp>
#include <cleave/costs.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/figures.hpp>
#include <cleave/file.hpp>
#include <cleave/options.hpp>
#include <cleave/part.hpp>
#include <cleave/program.hpp>
#include <cleave/random.hpp>
#include <cleave/row.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>
