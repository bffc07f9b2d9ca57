// Encodes pictures in memory for tests.
#pragma once

#include <spng.h>
#include <turbojpeg.h>
#include <webp/encode.h>

#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "icc_profile.hpp"

namespace assetc::testing {

inline ByteVector to_bytes(const void* data, std::size_t size) {
  const auto* p = static_cast<const std::byte*>(data);
  return {p, p + size};
}

// The color information of a PNG.
struct PngColor {
  std::uint32_t gamma = 0;             // times 100000; 0: no gAMA
  bool srgb = false;                   // an sRGB chunk
  const char* profile_name = nullptr;  // the name of an iCCP chunk's profile
  ByteVector profile = {};
};

// `rows`: packed samples as stored in a PNG, except that 16-bit samples are in host order.
inline ByteVector encode_png(std::uint32_t width, std::uint32_t height, int bit_depth, int color_type, ByteSpan rows,
                             bool interlaced = false, const spng_plte* palette = nullptr,
                             const spng_trns* trns = nullptr, PngColor color = {}) {
  spng_ctx* ctx = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(ctx, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr ihdr{width, height, static_cast<std::uint8_t>(bit_depth), static_cast<std::uint8_t>(color_type),
                 0,     0,      static_cast<std::uint8_t>(interlaced)};
  int error = spng_set_ihdr(ctx, &ihdr);
  if (!error && palette) {
    spng_plte copy = *palette;
    error = spng_set_plte(ctx, &copy);
  }
  if (!error && trns) {
    spng_trns copy = *trns;
    error = spng_set_trns(ctx, &copy);
  }
  if (!error && color.gamma != 0) error = spng_set_gama_int(ctx, color.gamma);
  if (!error && color.srgb) error = spng_set_srgb(ctx, 0);
  if (!error && color.profile_name != nullptr) {
    spng_iccp profile{};
    std::strncpy(profile.profile_name, color.profile_name, sizeof profile.profile_name - 1);
    profile.profile_len = color.profile.size();
    profile.profile = reinterpret_cast<char*>(color.profile.data());
    error = spng_set_iccp(ctx, &profile);
  }
  if (!error) error = spng_encode_image(ctx, rows.data(), rows.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE);
  std::size_t size = 0;
  void* buffer = spng_get_png_buffer(ctx, &size, &error);
  ByteVector png = buffer ? to_bytes(buffer, size) : ByteVector{};
  std::free(buffer);
  spng_ctx_free(ctx);
  return png;
}

inline ByteVector encode_png_rgba8(std::uint32_t width, std::uint32_t height, ByteSpan rgba) {
  return encode_png(width, height, 8, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, rgba);
}

// channels: 1 gray, 3 RGB, 4 CMYK.
inline ByteVector encode_jpeg(int width, int height, int channels, ByteSpan pixels, bool progressive = false) {
  tjhandle handle = tjInitCompress();
  unsigned char* out = nullptr;
  unsigned long size = 0;
  const int format = channels == 1 ? TJPF_GRAY : channels == 3 ? TJPF_RGB : TJPF_CMYK;
  tjCompress2(handle, reinterpret_cast<const unsigned char*>(pixels.data()), width, 0, height, format, &out, &size,
              channels == 1 ? TJSAMP_GRAY : TJSAMP_444, 95, progressive ? TJFLAG_PROGRESSIVE : 0);
  ByteVector jpeg = to_bytes(out, size);
  tjFree(out);
  tjDestroy(handle);
  return jpeg;
}

inline ByteVector encode_webp_lossless(int width, int height, ByteSpan rgba) {
  std::uint8_t* out = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGBA(reinterpret_cast<const std::uint8_t*>(rgba.data()), width, height, width * 4, &out);
  ByteVector webp = to_bytes(out, size);
  WebPFree(out);
  return webp;
}

// Reproducible bytes that no codec could guess.
inline ByteVector noise_bytes(std::size_t size, std::uint32_t seed = 1) {
  ByteVector bytes(size);
  for (std::byte& b : bytes) {
    seed = seed * 1664525u + 1013904223u;
    b = static_cast<std::byte>(seed >> 24);
  }
  return bytes;
}

}  // namespace assetc::testing
