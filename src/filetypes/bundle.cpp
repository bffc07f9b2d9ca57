// .pak.
#include "assetc/formats/pak.hpp"
#include "base/size_text.hpp"
#include "filetypes/readers.hpp"
#include "text/format.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const pak::View& bundle) {
  const pak::Header& header = bundle.header();
  std::uint64_t content_bytes = 0;
  for (const pak::Entry& entry : bundle.entries()) content_bytes += entry.size_bytes;
  Facts facts;
  facts.add("name", std::string(header.name_text()), formatted("\"{}\"", header.name_text()));
  facts.add("platform", std::string(header.platform_text()), formatted("for {}", header.platform_text()));
  facts.add("bundle_version", std::uint64_t{header.bundle_version}, formatted("version {}", header.bundle_version));
  facts.count("assets", bundle.footer().entry_count, "asset");
  facts.add("content_bytes", content_bytes, size_text(content_bytes) + " of contents");
  // By the key that it names; a verification checks the signature.
  facts.add("signed", header.is_signed(), header.is_signed() ? "signed" : "");
  facts.add("encrypted", header.is_encrypted(), header.is_encrypted() ? "encrypted" : "");
  return facts;
}

}  // namespace

constinit const Reader kPakReader{.open = open_with<pak::View>, .inspect = inspect_with<pak::View, describe>};

}  // namespace assetc::filetypes
