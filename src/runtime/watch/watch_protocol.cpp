#include "runtime/watch/watch_protocol.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/plural.hpp"
#include "base/watch_protocol.hpp"
#include "formats/message.hpp"
#include "runtime/mount/json.hpp"

namespace assetc::runtime {
namespace {

constexpr double kProtocol = watch_protocol::kVersion;

Result<std::vector<std::string>> texts(JsonReader& json) {
  std::vector<std::string> out;
  const auto add = [&]() -> Result<void> {
    ASSETC_TRY(out.emplace_back(), json.string());
    return {};
  };
  ASSETC_CHECK(json.array(add));
  return out;
}

ErrorCode code_of(std::string_view name) {
  for (int code = 0; code <= static_cast<int>(ErrorCode::kCanceled); ++code) {
    if (to_string(static_cast<ErrorCode>(code)) == name) return static_cast<ErrorCode>(code);
  }
  return ErrorCode::kInvalidData;
}

Result<Changes::Broken> broken(JsonReader& json) {
  Changes::Broken out;
  std::string code;
  const std::array<std::pair<std::string_view, std::string*>, 5> members{{{"code", &code},
                                                                          {"file", &out.error.file},
                                                                          {"place", &out.error.place},
                                                                          {"what", &out.error.what},
                                                                          {"hint", &out.error.hint}}};
  const auto take = [&](std::string_view key) -> Result<void> {
    const auto member = std::ranges::find(members, key, &std::pair<std::string_view, std::string*>::first);
    if (member != members.end()) {
      ASSETC_TRY(*member->second, json.string());
    } else if (key == "outputs") {
      ASSETC_TRY(out.files, texts(json));
    } else {
      return json.skip();
    }
    return {};
  };
  ASSETC_CHECK(json.object(take));
  out.error.code = code_of(code);
  return out;
}

Result<std::optional<Changes>> parse(std::string_view line) {
  JsonReader json(line);
  std::string event;
  double protocol = kProtocol;
  Changes changes;
  changes.leaves_broken = true;
  const auto add_broken = [&]() -> Result<void> {
    ASSETC_TRY(changes.broken.emplace_back(), broken(json));
    return {};
  };
  const auto take = [&](std::string_view key) -> Result<void> {
    if (key == "event") {
      ASSETC_TRY(event, json.string());
    } else if (key == watch_protocol::kVersionName) {
      ASSETC_TRY(protocol, json.number());
    } else if (key == "written") {
      ASSETC_TRY(changes.written, texts(json));
    } else if (key == "removed") {
      ASSETC_TRY(changes.removed, texts(json));
    } else if (key == "everything") {
      ASSETC_TRY(changes.everything, json.boolean());
    } else if (key == "errors") {
      changes.leaves_broken = false;
      return json.array(add_broken);
    } else {
      return json.skip();
    }
    return {};
  };
  ASSETC_CHECK(json.object(take));
  ASSETC_CHECK(json.end());
  if (event == watch_protocol::kHello && protocol != kProtocol) {
    return fail(ErrorCode::kVersion,
                formats::message("found protocol ", static_cast<std::int64_t>(std::clamp(protocol, 0.0, 1e9)),
                                 " of the watch, expected ", static_cast<std::int64_t>(kProtocol)));
  }
  // The watch may have built assets before the engine connected.
  if (event == watch_protocol::kHello) changes.everything = true;
  return event == watch_protocol::kHello || event == watch_protocol::kBuilt ? std::optional(std::move(changes))
                                                                            : std::nullopt;
}

}  // namespace

Result<std::optional<Changes>> parse_watch_line(std::string_view line) {
  auto changes = parse(line);
  if (!changes) changes.error().hint = "use a watch and an engine of the same version";
  return changes;
}

Result<std::vector<Changes>> WatchReader::read(ByteSpan bytes) {
  std::vector<Changes> out;
  std::string_view text = as_text(bytes);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view part = text.substr(0, end);
    if (rest_.size() + part.size() > kMaxLineBytes)
      return fail(ErrorCode::kLimit, "found a line of more than " + counted(kMaxLineBytes, "byte"));
    rest_ += part;
    if (end == text.npos) break;
    text.remove_prefix(end + 1);
    const std::string line = std::exchange(rest_, {});
    ASSETC_TRY(std::optional<Changes> changes, parse_watch_line(line));
    if (changes) out.push_back(std::move(*changes));
  }
  return out;
}

}  // namespace assetc::runtime
