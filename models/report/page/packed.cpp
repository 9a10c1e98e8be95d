// SPDX-License-Identifier: Apache-2.0
#include <zlib.h>

#include <cstdint>

#include <cleave/error.hpp>

#include "models/report/page/page.hpp"

namespace cleave::models {

namespace {

std::string gzip(std::string_view bytes) {
  constexpr int kGzip = 16 + MAX_WBITS;
  constexpr int kMemoryLevel = 8;  // zlib's default
  z_stream stream{};
  if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                   Z_DEFAULT_STRATEGY) != Z_OK) {
    throw Error("the page cannot be compressed: no memory");
  }
  std::string result(deflateBound(&stream, bytes.size()), '\0');
  // zlib does not write to what it reads.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  const int status = deflate(&stream, Z_FINISH);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) {
    throw Error("the page cannot be compressed: too large");
  }
  return result;
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (i + j < bytes.size() ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      text += i + j <= bytes.size() ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
    }
  }
  return text;
}

std::string packed(std::string_view bytes) { return base64(gzip(bytes)); }

}  // namespace cleave::models
