// *.embed.yml: any file, as it is or as a C++ header.
#include "import/embed.hpp"

#include <array>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "base/json_line.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kEmbedClaims{Claim{.suffix = ".embed.yml", .strip = ".embed.yml"}};

// ".csv" of "tables/drops.csv"; empty if the name has none.
std::string_view suffix_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 ? std::string_view() : name.substr(dot);
}

void add_hex(std::string& text, std::uint64_t value) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[value >> shift & 15];
}

// The header of a file whose output path is `path`: its hash in assets.hman, its size and its bytes.
// Names stand in quotes, so that a line break in a name cannot end a comment.
std::string header_of(const importer::Embed& embed, const std::string& path, ByteSpan bytes) {
  std::string text =
      "// Made by assetc from " + json_quote(importer::file_name(embed.file)) + ". Do not edit.\n#pragma once\n\n";
  text += "#include <array>\n#include <cstddef>\n#include <cstdint>\n\n";
  if (!embed.name_space.empty()) text += "namespace " + embed.name_space + " {\n\n";
  text += "// The id of " + json_quote(path) + " in assets.hman.\ninline constexpr std::uint64_t " + embed.name +
          "_id = 0x";
  add_hex(text, hash_embed_ref(path));
  text += "u;\n\ninline constexpr std::array<unsigned char, " + std::to_string(bytes.size()) + "> " + embed.name + "{";
  constexpr std::size_t kPerLine = 20;
  text.reserve(text.size() + bytes.size() * 4 + bytes.size() / kPerLine * 5 + 64);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % kPerLine == 0) text += "\n    ";
    text += std::to_string(std::to_integer<unsigned>(bytes[i])) + ",";
  }
  text += bytes.empty() ? "};\n" : "\n};\n";
  if (!embed.name_space.empty()) text += "\n}  // namespace " + embed.name_space + "\n";
  return text;
}

Result<Product> cook_embed(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes description, step.input(inputs));
  ASSETC_TRY(const importer::Embed embed, importer::import_embed(step.input_path, description));
  auto file = inputs.read(embed.file);
  if (!file) {
    Error error = std::move(file).error();
    if (error.code == ErrorCode::kNotFound) error.hint = "name an existing file with file:";
    return std::unexpected(std::move(error).in(embed.file));
  }
  Product product;
  for (const Warning& warning : embed.warnings) product.diagnostics.push_back(warning);
  if (const DataContainers* cooked = step.containers->data; cooked != nullptr) {
    if (embed.as == importer::Embed::As::kHeader)
      return fail(ErrorCode::kUnsupported, "as: header applies to builds, not to cooks", "use as: file");
    ASSETC_TRY(ByteVector bytes, cooked->raw(*file));
    product.outputs.push_back({std::string(cooked->suffix), Bytes(std::move(bytes)), {AssetKind::kEmbed}});
    return product;
  }
  const std::string_view suffix = suffix_of(embed.file);
  const std::string added(ends_with_ignoring_case(step.stem, ascii_lower(suffix)) ? std::string_view() : suffix);
  if (ascii_lower(step.stem + added) == "assets.hman")
    return fail(ErrorCode::kConflict, "would replace the manifest assets.hman", "rename the .embed.yml");
  if (embed.as == importer::Embed::As::kFile) {
    product.outputs.push_back({added, std::move(*file), {AssetKind::kEmbed}});
    return product;
  }
  const std::string text = header_of(embed, step.stem + added, *file);
  product.outputs.push_back(
      {added + ".hpp", Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end())), {AssetKind::kEmbed}});
  return product;
}

// The file and, of a header, its text, which has up to four characters for each byte, and a copy of it.
std::uint64_t embed_peak_bytes(const Step& step, Inputs& inputs) {
  constexpr std::uint64_t kTextBytesPerByte = 4;
  const auto description = step.input(inputs);
  if (!description) return 0;
  const auto embed = importer::import_embed(step.input_path, *description);
  const auto head = embed ? inputs.head(embed->file, 1) : fail(ErrorCode::kNotFound, "");
  if (!head) return 0;
  return head->size() * (embed->as == importer::Embed::As::kHeader ? 1 + 2 * kTextBytesPerByte : 3);
}

}  // namespace

extern const Recipe kEmbedRecipe;
constinit const Recipe kEmbedRecipe{.name = "embed",
                                    .version = 2,
                                    .claims = kEmbedClaims,
                                    .setting_groups = {},
                                    .stem_matters = true,
                                    .cook = cook_embed,
                                    .estimate_peak_bytes = embed_peak_bytes};

}  // namespace assetc::recipes
