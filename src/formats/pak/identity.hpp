// The bytes that encryption and signatures authenticate.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/formats/pak.hpp"
#include "formats/reader.hpp"

namespace assetc::pak {

inline constexpr std::string_view kBlockContext = "assetc.pak.block";
inline constexpr std::string_view kSignatureContext = "assetc.pak.sign1";

// The associated data of a block: the platform and name of its bundle, and the asset that it was written for. It does
// not include the version of the bundle, so that an unchanged block has the same bytes in the next version. The MAC of
// the index covers the version.
inline ByteVector block_identity(const Header& header, const Uuid& owner) {
  ByteVector out;
  append_bytes(out, as_bytes(kBlockContext));
  append_bytes(out, std::as_bytes(std::span(header.platform)));
  append_bytes(out, std::as_bytes(std::span(header.name)));
  append(out, owner);
  return out;
}

// Returns the bytes that a MAC covers: header and footer. The footer's hash covers the index, whose hashes cover the
// blocks.
inline ByteVector mac_message(ByteSpan header, ByteSpan footer) {
  ByteVector out(header.begin(), header.end());
  append_bytes(out, footer.first(kMacCoversBytes));
  return out;
}

// Checks the footer's hash of header and footer, if it is there instead of a MAC. digest: SHA-256 of mac_message().
// Bundles of earlier programs have zeros there. Errors: kInvalidData.
inline Result<void> check_header_hash(const View& view, const Sha256& digest) {
  const auto& stored = view.footer().mac;
  if (view.header().is_encrypted() || stored == digest || stored == Sha256{}) return {};
  return formats::invalid(0, "the header does not match its hash");
}

// Returns the bytes that a signature covers: the same, and the MAC.
inline ByteVector signature_message(ByteSpan header, ByteSpan footer) {
  ByteVector out;
  append_bytes(out, as_bytes(kSignatureContext));
  append_bytes(out, header);
  append_bytes(out, footer.first(kSignatureCoversBytes));
  return out;
}

}  // namespace assetc::pak
