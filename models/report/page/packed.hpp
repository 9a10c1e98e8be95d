// SPDX-License-Identifier: Apache-2.0
// Bytes as a page holds them: gzip, then base64. page/start.js reads them back.
#pragma once

#include <string>
#include <string_view>

namespace cleave::models {

/// Four characters for three bytes of gzip. \throws Error  if zlib has no memory
std::string packed(std::string_view bytes);

/// Of bytes that are gzip already.
std::string base64(std::string_view bytes);

}  // namespace cleave::models
