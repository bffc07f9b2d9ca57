#include "engine/config/acceptance.hpp"

#include <algorithm>
#include <array>

#include "assetc/base/spelling.hpp"
#include "engine/config/config.hpp"

namespace assetc::engine {
namespace {

constexpr std::array<std::string_view, 5> kAcceptanceKeys{"kind", "path", "reason", "preset", "platform"};
constexpr std::string_view kExample =
    "write it as {kind: merged-nodes, path: \"models/*\", reason: \"sockets are bound by name\"}";

std::string guess(std::string_view word, const std::vector<std::string_view>& known, std::string otherwise) {
  const std::string_view near = did_you_mean(word, known);
  return near.empty() ? std::move(otherwise) : "did you mean \"" + std::string(near) + "\"?";
}

Result<WarningKind> kind_named(std::string_view name) {
  const auto kind = parse_warning_kind(name);
  if (!kind) {
    return fail(
        ErrorCode::kUsage, "accept.kind: found \"" + std::string(name) + "\", expected a kind of warning",
        guess(name, acceptable_kinds(), "docs/reference/warnings.md lists the kinds, and so does `assetc manual`"));
  }
  const WarningRow& row = row_of(*kind);
  if (row.is_acceptable) return *kind;
  return fail(ErrorCode::kUsage,
              "accept.kind: found \"" + std::string(name) + "\", expected a kind of warning that every build repeats",
              std::string(row.remedy));
}

}  // namespace

bool Acceptance::covers(WarningKind of, std::string_view file) const {
  if (kind != of) return false;
  return glob_matches(path, file) || glob_matches(path, file.substr(0, file.find(kImageInside)));
}

Result<void> set_acceptance(Acceptance& acceptance, std::string_view key, std::string_view value) {
  if (std::ranges::find(kAcceptanceKeys, key) == kAcceptanceKeys.end()) {
    // An error rather than a warning: an entry that lost its path would accept more than intended.
    return fail(ErrorCode::kUsage, "accept: found the unknown key \"" + std::string(key) + "\"",
                guess(key, {kAcceptanceKeys.begin(), kAcceptanceKeys.end()},
                      "the keys are kind, path, reason, preset and platform"));
  }
  if (value.empty()) return fail(ErrorCode::kUsage, "accept." + std::string(key) + ": found nothing, expected a value");
  if (key == "kind") {
    ASSETC_TRY(acceptance.kind, kind_named(value));
  } else if (key == "path") {
    acceptance.path = value;
  } else if (key == "reason") {
    acceptance.reason = value;
  } else {
    acceptance.preset = value;
  }
  return {};
}

Result<void> check_acceptance(const Acceptance& acceptance) {
  if (!acceptance.kind)
    return fail(ErrorCode::kUsage, "accept: found an entry without kind:, expected one", std::string(kExample));
  if (acceptance.reason.empty())
    return fail(ErrorCode::kUsage, "accept: found an entry without reason:, expected one", std::string(kExample));
  return {};
}

}  // namespace assetc::engine
