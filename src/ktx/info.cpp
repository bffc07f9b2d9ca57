// ktx info and ktx validate.
#include <algorithm>
#include <cstdio>

#include "base/json_line.hpp"
#include "json/json.hpp"
#include "ktx/check.hpp"
#include "ktx/commands.hpp"
#include "ktx/format_names.hpp"
#include "ktx/vk_format.hpp"

namespace assetc::ktx {
namespace {

bool is_valid(const std::vector<Finding>& findings) {
  return std::ranges::all_of(findings, [](const Finding& f) { return f.severity == Severity::kWarning; });
}

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& f : findings) {
    text += std::string(to_string(f.severity)) + "-" + std::to_string(f.rule) + ": " + std::string(f.text) + "\n    " +
            f.details + "\n";
  }
  return text;
}

Json json_of(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const Finding& f : findings)
    list.push_back({{"id", f.rule}, {"type", to_string(f.severity)}, {"message", f.text}, {"details", f.details}});
  return list;
}

std::string print(const Json& json, Report report) {
  return json.text({.indent = report == Report::kJson ? 4 : -1}) + (report == Report::kJson ? "\n" : "");
}

// Numbers of the file that a View does not keep. Requires a place in the file.
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
  std::vector<Finding> messages = check_file(*file, asked.gltf);
  for (Finding& f : messages)
    if (f.severity == Severity::kWarning && asked.warnings_too) f.severity = Severity::kError;
  const bool valid = is_valid(messages);
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
  const std::vector<Finding> messages = check_file(*file, false);
  const bool valid = is_valid(messages);
  Json parts = Json::object();
  // As KTX-Software does it, a file that breaks a rule is described too, as far as it can be read.
  if (is_ktx2(*file)) parts["header"] = header_of(*file);
  if (const auto view = ktx2::View::open(*file); view) {
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
  return is_ktx2(*file) ? Exit::kSuccess : Exit::kInvalidFile;
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
