#include "engine/meta/import_mark.hpp"

#include "base/packed.hpp"

namespace assetc::engine {
namespace {

constexpr std::uint64_t kMagicAndVersion = 0x0001'4b52414d;  // "MARK", 1

}  // namespace

bool is_as_left(const Tree& now, const Tree& before, const PathIndex& before_index, const PublishedFiles& published,
                std::size_t removed) {
  std::size_t added = 0;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto at = before_index.find(now.path(i));
    const auto ours = published.find(now.path(i));
    if (!at) ++added;
    if (!at && ours == published.end()) return false;
    if (now[i].signature != (ours != published.end() ? ours->second : before[*at].signature)) return false;
  }
  return now.size() == before.size() + added - removed;
}

ByteVector encode_mark(const ImportMark& mark) {
  ByteVector out;
  append(out, kMagicAndVersion);
  append(out, mark.environment);
  append(out, mark.tree);
  append(out, mark.sources);
  append(out, mark.sub_assets);
  append(out, std::uint64_t{mark.uncovered.size()});
  for (const auto& [path, signature] : mark.uncovered) {
    append_text(out, path);
    append(out, std::uint8_t{signature.has_value()});
    append(out, signature.value_or(FileSignature{}));
  }
  append(out, content_hash(out));
  return out;
}

std::optional<ImportMark> decode_mark(ByteSpan bytes) {
  if (bytes.size() < sizeof(ContentHash)) return std::nullopt;
  const ByteSpan body = bytes.first(bytes.size() - sizeof(ContentHash));
  if (load<ContentHash>(bytes, body.size()) != content_hash(body)) return std::nullopt;
  PackedReader in(body);
  if (in.raw<std::uint64_t>() != kMagicAndVersion) return std::nullopt;
  ImportMark mark;
  mark.environment = in.raw<ContentHash>();
  mark.tree = in.raw<ContentHash>();
  mark.sources = in.raw<std::uint64_t>();
  mark.sub_assets = in.raw<std::uint64_t>();
  for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
    auto& [path, signature] = mark.uncovered.emplace_back();
    path = in.text();
    const bool there = in.raw<std::uint8_t>() != 0;
    const auto of_file = in.raw<FileSignature>();
    if (there) signature = of_file;
  }
  return in.whole() ? std::optional(std::move(mark)) : std::nullopt;
}

}  // namespace assetc::engine
