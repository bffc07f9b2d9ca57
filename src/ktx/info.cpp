// ktx info and ktx validate.
#include <algorithm>
#include <cstdio>

#include "base/json_line.hpp"
#include "filetypes/levels.hpp"
#include "json/json.hpp"
#include "ktx/commands.hpp"
#include "ktx/format_names.hpp"

namespace assetc::ktx {
namespace {

// What a check found, as the program reports it.
struct Message {
  std::string_view type;  // "fatal", "error" or "warning"
  int id = 0;
  std::string message;
  std::string details;
};

// Numbers of messages. Those of files are one, because the reader stops at the first fault. The rules of
// KHR_texture_basisu have one each.
constexpr int kInvalidFile = 1000, kInvalidLevel = 1001, kGltfFormat = 7101, kGltfShape = 7102, kGltfSides = 7103,
              kGltfLevels = 7104, kGltfSwizzle = 7105, kGltfOrientation = 7106, kGltfColor = 7107;

std::vector<Message> check_gltf(const ktx2::View& view) {
  std::vector<Message> found;
  const auto add = [&](int id, std::string message, std::string details) {
    found.push_back({"error", id, std::move(message), std::move(details)});
  };
  const auto model = view.color_model();
  if (model != ktx2::ColorModel::kUastc && model != ktx2::ColorModel::kEtc1s)
    add(kGltfFormat, "KHR_texture_basisu needs UASTC or ETC1S",
        "found " + color_model_name(static_cast<std::uint8_t>(model)));
  if (view.height_texels() == 0 || view.depth_texels() != 0 || view.layer_count() != 0 || view.is_cubemap())
    add(kGltfShape, "KHR_texture_basisu needs one 2D picture",
        "found depth " + std::to_string(view.depth_texels()) + ", layers " + std::to_string(view.layer_count()) +
            ", faces " + std::to_string(view.face_count()));
  if (view.width_texels() % 4 != 0 || view.height_texels() % 4 != 0)
    add(kGltfSides, "KHR_texture_basisu needs sides that are multiples of 4",
        "found " + std::to_string(view.width_texels()) + " x " + std::to_string(view.height_texels()));
  std::size_t full = 1;
  while (std::max(view.width_texels(), view.height_texels()) >> full != 0) ++full;
  if (view.levels().size() != 1 && view.levels().size() != full)
    add(kGltfLevels, "KHR_texture_basisu needs one mip level or all of them",
        "found " + std::to_string(view.levels().size()) + ", expected 1 or " + std::to_string(full));
  if (const auto swizzle = view.text("KTXswizzle"); !swizzle.empty() && swizzle != "rgba")
    add(kGltfSwizzle, "KHR_texture_basisu allows no KTXswizzle but rgba", "found " + std::string(swizzle));
  if (const auto orientation = view.text("KTXorientation"); !orientation.empty() && orientation != "rd")
    add(kGltfOrientation, "KHR_texture_basisu allows no KTXorientation but rd", "found " + std::string(orientation));
  const std::uint8_t expected = view.is_srgb() ? 1 : 0;
  if (view.primaries() != expected)
    add(kGltfColor, "KHR_texture_basisu needs BT.709 for sRGB, and unspecified primaries for linear",
        "found " + primaries_name(view.primaries()));
  return found;
}

std::vector<Message> check_file(ByteSpan file, bool gltf) {
  const auto view = ktx2::View::open(file);
  if (!view) {
    const Error& error = view.error();
    return {{"fatal", kInvalidFile, "the file is not a valid KTX 2 file", error.to_string()}};
  }
  std::vector<Message> found;
  for (std::size_t level = 0; level < view->levels().size(); ++level)
    if (const auto good = filetypes::check_level(*view, level); !good)
      found.push_back({"error", kInvalidLevel, "a level cannot be decompressed", good.error().to_string()});
  if (gltf) std::ranges::move(check_gltf(*view), std::back_inserter(found));
  return found;
}

bool is_valid(const std::vector<Message>& messages, bool warnings_too) {
  return std::ranges::none_of(messages, [&](const Message& m) { return warnings_too || m.type != "warning"; });
}

std::string text_of(const std::vector<Message>& messages) {
  std::string text;
  for (const Message& m : messages) {
    text += std::string(m.type) + "-" + std::to_string(m.id) + ": " + m.message + "\n    " + m.details + "\n";
  }
  return text;
}

Json json_of(const std::vector<Message>& messages) {
  Json list = Json::array();
  for (const Message& m : messages)
    list.push_back({{"id", m.id}, {"type", m.type}, {"message", m.message}, {"details", m.details}});
  return list;
}

std::string print(const Json& json, Report report) {
  return json.text({.indent = report == Report::kJson ? 4 : -1}) + (report == Report::kJson ? "\n" : "");
}

// Numbers of the file that a View does not keep. Requires a valid file.
std::uint32_t u32(ByteSpan file, std::size_t at) { return load<std::uint32_t>(file, at); }
std::uint64_t u64(ByteSpan file, std::size_t at) { return load<std::uint64_t>(file, at); }

// A name, or the number that has none here.
Json named(std::string name) {
  if (!name.empty() && name.find_first_not_of("0123456789") == name.npos) return std::stoul(name);
  return name;
}

Json header_of(ByteSpan file) {
  const std::string format = vk_format_name(u32(file, 12));
  return {{"identifier", "\u00ABKTX 20\u00BB\\r\\n\\u001A\\n"},
          {"vkFormat", format.empty() ? Json(u32(file, 12)) : Json(format)},
          {"typeSize", u32(file, 16)},
          {"pixelWidth", u32(file, 20)},
          {"pixelHeight", u32(file, 24)},
          {"pixelDepth", u32(file, 28)},
          {"layerCount", u32(file, 32)},
          {"faceCount", u32(file, 36)},
          {"levelCount", u32(file, 40)},
          {"supercompressionScheme", named(supercompression_name(u32(file, 44)))}};
}

Json index_of(ByteSpan file, const ktx2::View& view) {
  Json levels = Json::array();
  for (const ktx2::Level& level : view.levels())
    levels.push_back({{"byteOffset", level.offset_bytes},
                      {"byteLength", level.size_bytes},
                      {"uncompressedByteLength", level.uncompressed_size_bytes}});
  const auto part = [](auto offset, auto size) { return Json{{"byteOffset", offset}, {"byteLength", size}}; };
  return {{"dataFormatDescriptor", part(u32(file, 48), u32(file, 52))},
          {"keyValueData", part(u32(file, 56), u32(file, 60))},
          {"supercompressionGlobalData", part(u64(file, 64), u64(file, 72))},
          {"levels", std::move(levels)}};
}

Json sample_of(ByteSpan file, std::size_t at, std::uint8_t model) {
  const std::uint32_t word = u32(file, at);
  const auto channel = static_cast<std::uint8_t>(word >> 24);
  Json qualifiers = Json::array();
  if ((channel & 0x10) != 0) qualifiers.push_back("KHR_DF_SAMPLE_DATATYPE_LINEAR");
  if ((channel & 0x20) != 0) qualifiers.push_back("KHR_DF_SAMPLE_DATATYPE_EXPONENT");
  if ((channel & 0x40) != 0) qualifiers.push_back("KHR_DF_SAMPLE_DATATYPE_SIGNED");
  if ((channel & 0x80) != 0) qualifiers.push_back("KHR_DF_SAMPLE_DATATYPE_FLOAT");
  Json position = Json::array();
  for (std::size_t i = 0; i < 4; ++i) position.push_back(std::to_integer<unsigned>(file[at + 4 + i]));
  return {{"qualifiers", std::move(qualifiers)},   {"channelId", named(channel_name(model, channel & 15))},
          {"bitLength", ((word >> 16) & 255) + 1}, {"bitOffset", word & 0xFFFF},
          {"samplePosition", std::move(position)}, {"sampleLower", u32(file, at + 8)},
          {"sampleUpper", u32(file, at + 12)}};
}

Json descriptor_of(ByteSpan file) {
  const std::size_t at = u32(file, 48);
  const std::uint32_t colors = u32(file, at + 12), sides = u32(file, at + 16);
  const auto model = static_cast<std::uint8_t>(colors);
  const std::uint32_t size = u32(file, at + 8) >> 16;
  Json dimensions = Json::array(), planes = Json::array(), samples = Json::array();
  for (unsigned i = 0; i < 4; ++i) dimensions.push_back(((sides >> (8 * i)) & 255) + 1);
  for (std::size_t i = 0; i < 8; ++i) planes.push_back(std::to_integer<unsigned>(file[at + 20 + i]));
  for (std::size_t from = at + 28; from + 16 <= at + 4 + size; from += 16)
    samples.push_back(sample_of(file, from, model));
  const Json block{{"vendorId", "KHR_DF_VENDORID_KHRONOS"},
                   {"descriptorType", "KHR_DF_KHR_DESCRIPTORTYPE_BASICFORMAT"},
                   {"versionNumber", "KHR_DF_VERSIONNUMBER_1_3"},
                   {"descriptorBlockSize", size},
                   {"flags", Json::array({(colors >> 24 & 1) != 0 ? "KHR_DF_FLAG_ALPHA_PREMULTIPLIED"
                                                                  : "KHR_DF_FLAG_ALPHA_STRAIGHT"})},
                   {"transferFunction", named(transfer_name(static_cast<std::uint8_t>(colors >> 16)))},
                   {"colorPrimaries", named(primaries_name(static_cast<std::uint8_t>(colors >> 8)))},
                   {"colorModel", named(color_model_name(model))},
                   {"texelBlockDimension", std::move(dimensions)},
                   {"bytesPlane", std::move(planes)},
                   {"samples", std::move(samples)}};
  return {{"totalSize", u32(file, at)}, {"blocks", Json::array({block})}};
}

Json key_values_of(const ktx2::View& view) {
  Json pairs = Json::object();
  for (const ktx2::KeyValue& pair : view.key_values()) {
    const std::string key(pair.key);
    // Texts end with a 0; of the keys that Khronos defines, five hold numbers.
    const bool numbers = key == "KTXglFormat" || key == "KTXdxgiFormat__" || key == "KTXmetalPixelFormat" ||
                         key == "KTXanimData" || key == "KTXcubemapIncomplete";
    if (!numbers && !pair.value.empty() && pair.value.back() == std::byte{0}) {
      pairs[key] = std::string(as_text(pair.value.first(pair.value.size() - 1)));
    } else if (key == "KTXglFormat" && pair.value.size() == 12) {
      pairs[key] = {
          {"glInternalformat", u32(pair.value, 0)}, {"glFormat", u32(pair.value, 4)}, {"glType", u32(pair.value, 8)}};
    } else if (key == "KTXanimData" && pair.value.size() == 12) {
      pairs[key] = {
          {"duration", u32(pair.value, 0)}, {"timescale", u32(pair.value, 4)}, {"loopCount", u32(pair.value, 8)}};
    } else if (numbers && pair.value.size() == 4) {
      pairs[key] = u32(pair.value, 0);
    } else {
      Json bytes = Json::array();
      for (const std::byte b : pair.value) bytes.push_back(std::to_integer<unsigned>(b));
      pairs[key] = std::move(bytes);
    }
  }
  return pairs;
}

Json global_data_of(const ktx2::View& view) {
  const ktx2::BasisLz* basis = view.basis_lz();
  if (basis == nullptr) return {{"type", supercompression_name(static_cast<std::uint32_t>(view.supercompression()))}};
  Json images = Json::array();
  for (const ktx2::BasisLz::Image& image : basis->images) {
    images.push_back({{"imageFlags", image.is_p_frame ? Json::array({"ETC1S_P_FRAME"}) : Json::array()},
                      {"rgbSliceByteLength", image.color_size_bytes},
                      {"rgbSliceByteOffset", image.color_offset_bytes},
                      {"alphaSliceByteLength", image.alpha_size_bytes},
                      {"alphaSliceByteOffset", image.alpha_offset_bytes}});
  }
  return {{"type", "KTX_SS_BASIS_LZ"},
          {"endpointCount", basis->endpoint_count},
          {"selectorCount", basis->selector_count},
          {"endpointsByteLength", basis->endpoints.size()},
          {"selectorsByteLength", basis->selectors.size()},
          {"tablesByteLength", basis->tables.size()},
          {"extendedByteLength", 0},
          {"images", std::move(images)}};
}

// Nested JSON as indented "name: value" lines.
void add_lines(const Json& value, std::size_t indent, std::string& text) {
  const auto add = [&](const std::string& name, const Json& inner) {
    text += std::string(indent, ' ') + name + ":";
    const bool flat = inner.is_array() && (inner.empty() || !inner[0].is_structured());
    if (inner.is_structured() && !flat) {
      text += "\n";
      add_lines(inner, indent + 4, text);
    } else {
      text += " " + (inner.is_string() ? inner.as_string() : inner.text()) + "\n";
    }
  };
  for (std::size_t i = 0; i < value.items().size(); ++i) add("[" + std::to_string(i) + "]", value[i]);
  for (const auto& [name, inner] : value.members()) add(name, inner);
}

struct Look {
  std::string input;
  Report report = Report::kText;
  bool gltf = false, warnings_too = false;
};

Result<Exit> run_validate(const Look& asked, const Context& context) {
  auto file = context.io.read(asked.input);
  if (!file) return std::unexpected(std::move(file).error().in(asked.input));
  const std::vector<Message> messages = check_file(*file, asked.gltf);
  const bool valid = is_valid(messages, asked.warnings_too);
  if (asked.report != Report::kText) {
    context.io.out(print({{"$schema", "https://schema.khronos.org/ktx/validate_v0.json"},
                          {"valid", valid},
                          {"messages", json_of(messages)}},
                         asked.report));
  } else if (!messages.empty()) {
    context.io.out(std::string("Validation ") + (valid ? "successful" : "failed") + "\n\n" + text_of(messages));
  }
  return valid ? Exit::kSuccess : Exit::kInvalidFile;
}

Result<Exit> run_info(const Look& asked, const Context& context) {
  auto file = context.io.read(asked.input);
  if (!file) return std::unexpected(std::move(file).error().in(asked.input));
  const std::vector<Message> messages = check_file(*file, false);
  const bool valid = is_valid(messages, false);
  Json parts = Json::object();
  if (const auto view = ktx2::View::open(*file); view) {
    parts["header"] = header_of(*file);
    parts["index"] = index_of(*file, *view);
    parts["dataFormatDescriptor"] = descriptor_of(*file);
    parts["keyValueData"] = key_values_of(*view);
    parts["supercompressionGlobalData"] = global_data_of(*view);
  }
  if (asked.report != Report::kText) {
    Json json{
        {"$schema", "https://schema.khronos.org/ktx/info_v0.json"}, {"valid", valid}, {"messages", json_of(messages)}};
    json.update(parts);
    context.io.out(print(json, asked.report));
  } else {
    std::string text = std::string("Validation ") + (valid ? "successful" : "failed") + "\n\n" + text_of(messages);
    constexpr std::pair<std::string_view, std::string_view> kTitles[] = {
        {"header", "Header"},
        {"index", "Level Index"},
        {"dataFormatDescriptor", "Data Format Descriptor"},
        {"keyValueData", "Key/Value Data"},
        {"supercompressionGlobalData", "Supercompression Global Data"}};
    for (const auto& [key, title] : kTitles) {
      if (!parts.contains(key)) continue;
      text += std::string(title) + "\n\n";
      add_lines(parts[key], 0, text);
      text += "\n";
    }
    context.io.out(text);
  }
  return valid ? Exit::kSuccess : Exit::kInvalidFile;
}

}  // namespace

Run add_info(const command_line::Command& app) {
  const auto state = std::make_shared<Look>();
  app.add("input", state->input, "A .ktx2, or -").required();
  add_report(app, state->report);
  return [state](const Context& context) { return run_info(*state, context); };
}

Run add_validate(const command_line::Command& app) {
  const auto state = std::make_shared<Look>();
  app.add("input", state->input, "A .ktx2, or -").required();
  add_report(app, state->report);
  app.add_switch("-g,--gltf-basisu", state->gltf, "Also check the rules of glTF's KHR_texture_basisu");
  app.add_switch("-e,--warnings-as-errors", state->warnings_too, "Treat warnings as errors");
  return [state](const Context& context) { return run_validate(*state, context); };
}

}  // namespace assetc::ktx
