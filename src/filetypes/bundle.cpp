#include "assetc/formats/pak.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

FileContent describe(const pak::View& bundle) {
  BundleInfo info{.name = std::string(bundle.header().name_text()),
                  .platform = std::string(bundle.header().platform_text()),
                  .version = bundle.header().bundle_version,
                  .assets = bundle.footer().entry_count,
                  .is_signed = bundle.header().is_signed(),
                  .is_encrypted = bundle.header().is_encrypted()};
  for (const pak::Entry& entry : bundle.entries()) info.content_bytes += entry.size_bytes;
  return info;
}

}  // namespace

constinit const Reader kPakReader{.open = open_with<pak::View>, .inspect = inspect_with<pak::View, describe>};

}  // namespace assetc::filetypes
