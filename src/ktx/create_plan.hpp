// What the options of `ktx create` mean together.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ktx/commands.hpp"
#include "ktx/format_names.hpp"
#include "ktx/vk_format.hpp"
#include "texture/compile.hpp"

namespace assetc::ktx {

enum class Origin : std::uint8_t { kTopLeft, kBottomLeft };

// The options as they are given.
struct Create {
  std::vector<std::string> files;  // inputs, then the output

  std::string format;
  std::string encode;
  bool raw = false, cubemap = false, one_dimensional = false;
  std::optional<std::uint32_t> width, height, depth, layers, levels;

  bool generate_mips = false, runtime_mips = false;
  std::string mip_filter = "lanczos4", mip_wrap = "clamp";
  double mip_filter_scale = 1;

  bool normalize = false, premultiply = false, normal_mode = false;
  std::string swizzle, input_swizzle;

  std::string assign_transfer, convert_transfer, assign_primaries, convert_primaries, assign_origin, convert_origin;
  bool fail_on_conversion = false, warn_on_conversion = false, never_warn_on_conversion = false;
  bool fail_on_flip = false, warn_on_flip = false;

  int uastc_quality = 2;
  bool rdo = false;
  double rdo_lambda = 1;
  int compression_level = 1;
  std::uint32_t quality_level = 128;
  std::string astc_quality = "medium";
  std::optional<int> zstd;
  std::uint32_t threads = 0;

  std::vector<std::string> without_effect;  // options of other encoders that were given
};

// What the options mean together.
struct CreatePlan {
  // How the format is encoded or stored from pictures. --raw takes formats that have no TexelFormat.
  struct Stored {
    TexelFormat format = TexelFormat::kRgba8;
    ktx2::Transfer transfer = ktx2::Transfer::kLinear;
  };

  VkFormat format;  // that was asked for
  Stored asked;
  std::uint32_t channels = 4;  // of the format that was asked for
  bool encodes = false;        // blocks are made from texels; otherwise texels or given blocks are stored
  texture::TargetFormat target = texture::TargetFormat::kUastc;
  std::optional<ktx2::Transfer> source_transfer;  // of every input; unset: what the picture says
  bool converts = false;                          // --convert-tf
  ktx2::Primaries primaries = ktx2::Primaries::kBt709;
  Origin source_origin = Origin::kTopLeft, origin = Origin::kTopLeft;
  std::uint32_t layers = 1, faces = 1, depth = 1, levels = 1;
  std::vector<std::string> inputs;
  std::string output;

  // The inputs of a level. A slice of three-dimensional blocks is one input.
  std::uint32_t images(std::uint32_t level) const {
    const std::uint32_t block = format.block.depth_texels;
    return layers * faces * ((std::max(depth >> level, 1u) + block - 1) / block);
  }
  // KTXorientation.
  std::string orientation(const Create& given) const {
    if (given.one_dimensional) return "r";
    return std::string(origin == Origin::kTopLeft ? "rd" : "ru") + (given.depth ? "i" : "");
  }
};

// Adds the options of the command to an empty parser, which fills `to`. `to` must outlive the parser.
void add_create_options(const command_line::Command& app, Create& to);

// Reads the lists of inputs, and warns of options without effect.
// Errors: kUsage for options that contradict each other, kUnsupported, those of reading lists.
Result<CreatePlan> plan_create(const Create& asked, const Context& context);

// Returns the file of raw inputs. Errors: those of reading; kInvalidData for an input of another size.
Result<ByteVector> create_raw(const Create& asked, const CreatePlan& plan, const Context& context);

}  // namespace assetc::ktx
