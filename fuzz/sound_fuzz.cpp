// Any bytes: import_sound() refuses them or returns whole frames of finite samples, and loops inside them.
#include <cmath>

#include "fuzz.hpp"
#include "import/sound/sound.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const auto sound = importer::import_sound(fuzz::bytes(data, size));
  if (!sound) return 0;
  fuzz::require(sound->channel_count > 0 && sound->frame_count() > 0 && sound->sample_rate_hz > 0);
  fuzz::require(sound->samples.size() == sound->frame_count() * sound->channel_count);
  for (const float s : sound->samples) fuzz::require(std::isfinite(s));
  for (const aas1::Loop& loop : sound->loops)
    fuzz::require(loop.first_frame < loop.end_frame && loop.end_frame <= sound->frame_count());
  return 0;
}
