// The container of textures in .ktx2.
#include "recipes/container/containers.hpp"
#include "recipes/container/ktx2_write.hpp"

namespace assetc::recipes {

constinit const TextureContainer kKtx2{".ktx2", write_ktx2};

}  // namespace assetc::recipes
