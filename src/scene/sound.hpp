// The result of a sound importer.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/formats/aas1_audio.hpp"
#include "scene/left_out.hpp"

namespace assetc::scene {

struct Sound {
  std::uint32_t channel_count = 0;
  std::uint32_t sample_rate_hz = 0;
  bool is_16bit = false;       // every sample is a multiple of 1 / 32768
  std::vector<float> samples;  // -1 to 1, interleaved: channel_count for each frame
  std::vector<aas1::Loop> loops;
  bool has_padding = false;  // silence that the encoder added may be at both ends
  std::vector<LeftOut> left_out;

  std::uint64_t frame_count() const { return channel_count == 0 ? 0 : samples.size() / channel_count; }
};

}  // namespace assetc::scene
