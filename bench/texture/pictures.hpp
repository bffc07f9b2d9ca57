// Shared by the texture benchmarks: clocks, and PNGs with the time to read them.
#pragma once

#include <spng.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

#include "assetc/codec/texel.hpp"

namespace assetc::bench {

struct Clock {
  double wall_s = 0, cpu_s = 0;
};

inline double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}
inline double cpu_of(int who) {
  rusage usage{};
  getrusage(who, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class F>
Clock timed(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  const double cpu = cpu_of(RUSAGE_SELF);
  work();
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), cpu_of(RUSAGE_SELF) - cpu};
}

inline std::vector<std::byte> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> out(bytes.size());
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

struct Picture {
  std::filesystem::path path;
  std::uint32_t width = 0, height = 0;
  bool has_alpha = false;
  std::vector<Rgba8> texels;
  Clock reading;
};

inline std::optional<Picture> read_png(const std::filesystem::path& path) {
  Picture picture{path, 0, 0, false, {}, {}};
  bool good = false;
  picture.reading = timed([&] {
    const std::vector<std::byte> bytes = read_file(path);
    spng_ctx* context = spng_ctx_new(0);
    spng_ihdr header{};
    if (spng_set_png_buffer(context, bytes.data(), bytes.size()) == 0 && spng_get_ihdr(context, &header) == 0) {
      picture.width = header.width;
      picture.height = header.height;
      picture.texels.resize(std::size_t{header.width} * header.height);
      good = spng_decode_image(context, picture.texels.data(), picture.texels.size() * 4, SPNG_FMT_RGBA8,
                               SPNG_DECODE_TRNS) == 0;
    }
    spng_ctx_free(context);
  });
  if (!good) return std::nullopt;
  picture.has_alpha = std::any_of(picture.texels.begin(), picture.texels.end(), [](Rgba8 t) { return t.a != 255; });
  return picture;
}

inline bool write_png(const Picture& picture) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_ihdr header{picture.width, picture.height, 8, SPNG_COLOR_TYPE_TRUECOLOR_ALPHA, 0, 0, 0};
  FILE* file = std::fopen(picture.path.c_str(), "wb");
  const bool good = file != nullptr && spng_set_png_file(context, file) == 0 && spng_set_ihdr(context, &header) == 0 &&
                    spng_encode_image(context, picture.texels.data(), picture.texels.size() * 4, SPNG_FMT_PNG,
                                      SPNG_ENCODE_FINALIZE) == 0;
  spng_ctx_free(context);
  return file != nullptr && std::fclose(file) == 0 && good;
}

}  // namespace assetc::bench
