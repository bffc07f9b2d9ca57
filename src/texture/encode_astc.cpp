#include "texture/encode_astc.hpp"

#include <astcenc.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "codec/block/astc_block.hpp"
#include "codec/encode/common/encode_tiles.hpp"
#include "codec/encode/uastc/encode_uastc.hpp"
#include "texture/libraries.hpp"

namespace assetc::texture {
namespace {

constexpr std::size_t kAstcBlockBytes = 16;

struct Release {
  void operator()(astcenc_context* context) const { astcenc_context_free(context); }
};
using Context = std::unique_ptr<astcenc_context, Release>;

// The parameters that a context is created for.
struct Purpose {
  std::uint32_t block_width = 4, block_height = 4;
  bool srgb = false;
  codec::Effort effort = codec::Effort::kNormal;
  std::array<float, 4> weights{1, 1, 1, 1};
  bool operator==(const Purpose&) const = default;
};

// Contexts that are not in use, newest last, at most as many as there are threads. Creating one takes milliseconds, as
// long as encoding a small picture.
class IdleContexts {
 public:
  Context take(const Purpose& purpose) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::ranges::find(idle_, purpose, &Idle::purpose);
    if (found == idle_.end()) return nullptr;
    Context context = std::move(found->context);
    idle_.erase(found);
    return context;
  }
  void give(const Purpose& purpose, Context context) {
    const std::scoped_lock lock(mutex_);
    idle_.push_back({purpose, std::move(context)});
    if (idle_.size() > std::max(1u, std::thread::hardware_concurrency())) idle_.erase(idle_.begin());
  }

 private:
  struct Idle {
    Purpose purpose;
    Context context;
  };
  std::mutex mutex_;
  std::vector<Idle> idle_;
};

IdleContexts& idle_contexts() {
  static IdleContexts contexts;
  return contexts;
}

Result<void> check(astcenc_error status) {
  if (status == ASTCENC_SUCCESS) return {};
  return fail(ErrorCode::kUnsupported, "astcenc: " + std::string(astcenc_get_error_string(status)));
}

float quality_of(codec::Effort effort) {
  switch (effort) {
    case codec::Effort::kFast:
      return ASTCENC_PRE_FAST;
    case codec::Effort::kNormal:
      return ASTCENC_PRE_MEDIUM;
    case codec::Effort::kBest:
      return ASTCENC_PRE_THOROUGH;
  }
  return ASTCENC_PRE_MEDIUM;
}

// The weight of an error in each channel. A channel that holds a constant has no errors, but its weight must not be 0.
std::array<float, 4> weights_of(const codec::EncodeOptions& options) {
  std::array<float, 4> weights = options.channel_weights;
  constexpr float kTie = 1.0f / 256.0f;
  if (options.metric == codec::Metric::kNormal) weights[2] *= kTie, weights[3] *= kTie;
  if (options.metric == codec::Metric::kGray) weights[1] *= kTie, weights[2] *= kTie, weights[3] *= kTie;
  if (options.metric == codec::Metric::kColorPerceptual)
    weights[0] *= 0.897f, weights[1] *= 1.761f, weights[2] *= 0.342f;
  return weights;
}

Result<Context> make_context(const Purpose& purpose) {
  astcenc_config config{};
  ASSETC_CHECK(check(astcenc_config_init(purpose.srgb ? ASTCENC_PRF_LDR_SRGB : ASTCENC_PRF_LDR, purpose.block_width,
                                         purpose.block_height, 1, quality_of(purpose.effort),
                                         ASTCENC_FLG_SELF_DECOMPRESS_ONLY, &config)));
  config.cw_r_weight = purpose.weights[0];
  config.cw_g_weight = purpose.weights[1];
  config.cw_b_weight = purpose.weights[2];
  config.cw_a_weight = purpose.weights[3];
  astcenc_context* context = nullptr;
  ASSETC_CHECK(check(astcenc_context_alloc(&config, 1, &context)));
  return Context(context);
}

Result<void> encode_by_library(const Purpose& purpose, std::span<const std::byte> rgba, Extent extent,
                               std::span<std::byte> blocks) {
  Context context = idle_contexts().take(purpose);
  if (!context) {
    ASSETC_TRY(context, make_context(purpose));
  }
  // astcenc only reads the texels, but its interface takes a non-const pointer.
  void* slice = const_cast<std::byte*>(rgba.data());
  astcenc_image image{extent.width_texels, extent.height_texels, 1, ASTCENC_TYPE_U8, &slice};
  const astcenc_swizzle swizzle{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};
  ASSETC_CHECK(check(astcenc_compress_image(context.get(), &image, &swizzle,
                                            reinterpret_cast<std::uint8_t*>(blocks.data()), blocks.size(), 0)));
  ASSETC_CHECK(check(astcenc_compress_reset(context.get())));
  idle_contexts().give(purpose, std::move(context));
  return {};
}

// The squared error of a block, with weight 1 for all channels, up to which the result of our search is accepted.
float good_error(codec::Effort effort) {
  switch (effort) {
    case codec::Effort::kFast:
      return 300;
    case codec::Effort::kNormal:
      return 100;
    case codec::Effort::kBest:
      return 40;
  }
  return 100;
}

float error_of(const BlockTexels& block, const BlockTexels& decoded, const std::array<float, 4>& weights) {
  std::array<int, 4> sum{};
  for (std::size_t t = 0; t < block.size(); ++t) {
    for (std::size_t c = 0; c < 4; ++c) {
      const int miss = int{decoded[t][c]} - int{block[t][c]};
      sum[c] += miss * miss;
    }
  }
  float error = 0;
  for (std::size_t c = 0; c < 4; ++c) error += weights[c] * static_cast<float>(sum[c]);
  return error;
}

// Our search runs first. Blocks with a large error also go to astcenc, joined into one row of blocks, and the better
// result is kept.
Result<void> encode_4x4(const Purpose& purpose, std::span<const std::byte> rgba, Extent extent,
                        const codec::EncodeOptions& options, std::span<std::byte> blocks) {
  const codec::TexelView view = codec::tight_rows(rgba, extent.width_texels, extent.height_texels, 4);
  codec::EncodeOptions search = options;
  search.effort = codec::Effort::kBest;
  std::vector<float> errors(view.block_count());
  ASSETC_CHECK(codec::encode_astc_4x4(view, search, purpose.srgb, blocks, errors));

  const std::array<float, 4> weights = codec::channel_weights_of(options);
  const float limit = good_error(options.effort) * (weights[0] + weights[1] + weights[2] + weights[3]) / 4;
  std::vector<std::uint32_t> hard;
  for (std::uint32_t i = 0; i < errors.size(); ++i)
    if (errors[i] > limit) hard.push_back(i);
  if (hard.empty()) return {};

  std::vector<BlockTexels> sources(hard.size());
  const Extent row{static_cast<std::uint32_t>(hard.size()) * 4, 4};
  std::vector<Rgba8> texels(std::size_t{row.width_texels} * row.height_texels);
  for (std::size_t i = 0; i < hard.size(); ++i) {
    codec::load_block(view, hard[i], sources[i]);
    for (std::size_t t = 0; t < sources[i].size(); ++t)
      texels[t / 4 * row.width_texels + i * 4 + t % 4] = sources[i][t];
  }
  std::vector<std::byte> others(hard.size() * kAstcBlockBytes);
  ASSETC_CHECK(encode_by_library(purpose, std::as_bytes(std::span(texels)), row, others));
  for (std::size_t i = 0; i < hard.size(); ++i) {
    const std::byte* other = &others[i * kAstcBlockBytes];
    const BlockTexels decoded = codec::decode_astc4x4(reinterpret_cast<const std::uint8_t*>(other),
                                                      purpose.srgb ? AstcDecode::kSrgb : AstcDecode::kLinear);
    if (error_of(sources[i], decoded, weights) < errors[hard[i]])
      std::copy_n(other, kAstcBlockBytes, &blocks[hard[i] * kAstcBlockBytes]);
  }
  return {};
}

}  // namespace

Result<void> encode_astc(std::uint32_t block_width, std::uint32_t block_height, bool srgb,
                         std::span<const std::byte> rgba, Extent extent, const codec::EncodeOptions& options,
                         std::span<std::byte> blocks) {
  const Purpose purpose{block_width, block_height, srgb, options.effort, weights_of(options)};
  if (block_width == 4 && block_height == 4) return encode_4x4(purpose, rgba, extent, options, blocks);
  return encode_by_library(purpose, rgba, extent, blocks);
}

std::uint64_t astc_context_bytes(std::uint32_t block_width, std::uint32_t block_height) {
  // Resident memory, measured with libastcenc 4.2: 1.1 MB at 4x4, 2.9 at 6x6 and 7.1 at 8x8.
  return std::uint64_t{block_width} * block_height * 115'000;
}

// The library does not report its version, so this is the version of the package that was linked.
std::string astcenc_version() { return ASSETC_ASTCENC_VERSION; }

}  // namespace assetc::texture
