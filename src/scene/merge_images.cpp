#include "scene/merge_images.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "assetc/base/hash.hpp"

namespace assetc::scene {

void merge_images(Scene& scene, bool names_matter) {
  std::map<std::pair<ContentHash, std::string>, std::uint32_t> known;
  std::vector<std::uint32_t> number(scene.images.size());
  std::vector<ImageSource> kept;
  for (std::uint32_t i = 0; i < scene.images.size(); ++i) {
    ImageSource& image = scene.images[i];
    number[i] = static_cast<std::uint32_t>(kept.size());
    if (!image.inline_bytes.empty() && image.referred_as == kNone) {
      const auto [at, is_new] =
          known.try_emplace({content_hash(image.inline_bytes), names_matter ? image.name : std::string()}, number[i]);
      number[i] = at->second;
      if (!is_new) continue;
    }
    kept.push_back(std::move(image));
  }
  scene.images = std::move(kept);
  for_each_texture_of(scene, [&](auto, std::string_view, TextureUsage, TextureUse& use) {
    if (use.image != kNone) use.image = number[use.image];
  });
}

}  // namespace assetc::scene
