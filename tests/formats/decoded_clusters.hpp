// Decodes the pages of a .hcluster.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "assetc/formats/hcluster_view.hpp"
#include "formats/support.hpp"

namespace assetc::formats_test {

// Decodes all pages. Returns the first error, or that there is none.
inline std::string decode_all(
    const hcluster::View& view,
    const std::function<void(const hcluster::DecodedCluster&, const hcluster::ClusterRecord&)>& visit = {}) {
  hcluster::PageDecoder decoder(view);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  for (std::uint32_t p = 0; p < view.pages().size(); ++p) {
    const Exact bytes(view.page(p));
    if (const auto opened = decoder.open(p, bytes); !opened) return opened.error().what;
    for (std::size_t c = 0;; ++c) {
      const auto more = decoder.next(*cluster);
      if (!more) return more.error().what;
      if (!*more) break;
      if (visit) visit(*cluster, decoder.records()[c]);
    }
  }
  return "no error";
}

}  // namespace assetc::formats_test
