#include "engine/state/summary.hpp"

#include <array>

#include "base/packed.hpp"

namespace assetc::engine {
namespace {

// Totals that describe the tree and not a single build.
constexpr std::array kCounts{&Totals::sources, &Totals::taken,   &Totals::unclaimed,
                             &Totals::steps,   &Totals::outputs, &Totals::output_bytes};

}  // namespace

ByteVector encode_summary(const Summary& s) {
  ByteVector out;
  append(out, s.environment);
  append(out, s.input);
  append(out, s.output);
  append(out, std::uint64_t{s.recipes.size()});
  for (const std::string& name : s.recipes) append_text(out, name);
  append(out, s.libraries);
  for (const auto count : kCounts) append(out, s.totals.*count);
  append(out, std::uint64_t{s.uncovered.size()});
  for (const Summary::Uncovered& file : s.uncovered) {
    append_text(out, file.path);
    const FileSignature signature = file.signature.value_or(FileSignature{});
    append(out, std::uint8_t{file.signature.has_value()});
    append(out, signature);
  }
  append(out, std::uint64_t{s.diagnostics.size()});
  for (const recipes::Diagnostic& d : s.diagnostics) {
    append(out, d.severity);
    append_text(out, d.kind ? to_string(*d.kind) : std::string_view());
    append(out, d.what.code);
    for (const std::string* text : {&d.what.file, &d.what.place, &d.what.what, &d.what.hint}) append_text(out, *text);
  }
  append(out, std::uint64_t{s.unclaimed.size()});
  for (const std::string& path : s.unclaimed) append_text(out, path);
  append(out, std::uint64_t{s.ignored_kinds.size()});
  for (const IgnoredKind& kind : s.ignored_kinds) {
    append_text(out, kind.suffix);
    append(out, kind.count);
    append(out, std::uint8_t{kind.is_cooked});
  }
  return out;
}

std::optional<Summary> decode_summary(ByteSpan bytes) {
  PackedReader in(bytes);
  Summary s;
  s.environment = in.raw<ContentHash>();
  s.input = in.raw<ContentHash>();
  s.output = in.raw<ContentHash>();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) s.recipes.push_back(in.text());
  s.libraries = in.raw<ContentHash>();
  for (const auto count : kCounts) s.totals.*count = in.raw<std::uint64_t>();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    Summary::Uncovered file;
    file.path = in.text();
    const bool there = in.raw<std::uint8_t>() != 0;
    const auto signature = in.raw<FileSignature>();
    if (there) file.signature = signature;
    s.uncovered.push_back(std::move(file));
  }
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    const auto severity = in.raw<recipes::Severity>();
    const auto kind = parse_warning_kind(in.text());
    Error what;
    what.code = in.raw<ErrorCode>();
    for (std::string* text : {&what.file, &what.place, &what.what, &what.hint}) *text = in.text();
    auto diagnostic = recipes::Diagnostic::remembered(severity, kind, std::move(what));
    if (!diagnostic) return std::nullopt;
    s.diagnostics.push_back(std::move(*diagnostic));
  }
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) s.unclaimed.push_back(in.text());
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    IgnoredKind kind;
    kind.suffix = in.text();
    kind.count = in.raw<std::uint64_t>();
    kind.is_cooked = in.raw<std::uint8_t>() != 0;
    s.ignored_kinds.push_back(std::move(kind));
  }
  if (!in.whole()) return std::nullopt;
  return s;
}

}  // namespace assetc::engine
