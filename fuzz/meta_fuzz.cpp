// Any text as a .meta: if it parses, it can be changed, holds the new values, and merges with its old version.
#include <string>

#include "fuzz.hpp"
#include "identity/merge.hpp"
#include "identity/meta.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  using namespace assetc::identity;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto file = MetaFile::parse(text);
  if (!file) {
    fuzz::require(!file.error().what.empty());
    return 0;
  }
  fuzz::require(file->text() == text && file->with(file->meta()).text() == text);

  Meta next = file->meta();
  next.uuid.bytes[0] ^= 0xff;
  next.source_path += "x";
  next.importer += "\xc3\xbc";
  ++next.importer_version;
  next.source_dependencies.emplace_back("a/b");
  next.sub_assets.push_back({next.uuid, "Mesh", "\"}", "Engine/Sub", "1"});
  next.redirects.clear();
  next.tags.emplace_back("]");
  const auto again = MetaFile::parse(file->with(next).text());
  fuzz::require(again.has_value());
  fuzz::require(again->meta() == next);

  next.uuid = file->meta().uuid;
  const std::string ours = file->with(next).text();
  next.license += "[,]";
  next.tags = {"a", "b"};
  const std::string theirs = file->with(next).text();
  fuzz::require(merge_metas(text, ours, text)->text == ours);
  const auto merged = merge_metas(text, text, theirs);
  fuzz::require(merged && merged->conflicts.empty() && MetaFile::parse(merged->text)->meta() == next);
  fuzz::require(merge_metas(text, theirs, ours).has_value() && merge_metas({}, ours, theirs).has_value());
  return 0;
}
