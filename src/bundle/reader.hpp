// A bundle, or a bundle with a patch over it, read and verified.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/pak.hpp"
#include "bundle/crypto.hpp"
#include "compression/encode.hpp"

namespace assetc::bundle {

// Thread safety: const.
class Reader {
 public:
  // file: mapped as a rule. key: of an encrypted bundle, whose entries cannot be read without; may be null.
  // Errors: those of pak::View::open; kUsage for the key of another bundle.
  static Result<Reader> open(Bytes file, std::shared_ptr<const ContentKey> key = nullptr);
  // What the patch makes of this bundle, without writing it: blocks lie in either file. Errors: kConflict for a patch
  // of another bundle, or one that goes back to an older version; kInvalidData.
  // name: of the patch, for errors in its blocks.
  Result<Reader> mount(Bytes patch, std::string name = {}) const;

  const pak::View& view() const { return view_; }
  const pak::Header& header() const { return view_.header(); }
  std::span<const pak::Entry> entries() const { return view_.entries(); }
  const std::optional<compression::Dictionary>& dictionary() const { return dictionary_; }
  const ContentKey* key() const { return key_.get(); }
  // The error of what needs the key of an encrypted bundle.
  std::unexpected<Error> locked() const;
  // What a patch knows a bundle by: the hash of its header and footer.
  Sha256 id() const { return sha256(view_.header_bytes(), view_.footer_bytes()); }
  ByteSpan stored(std::size_t block) const;

  // Index, MAC (with a key) and signature (where there is one): that nobody else changed header and index. trusted: who
  // must have signed it; null: whoever the header names. Errors: kInvalidData.
  Result<void> authenticate(const PublicKey* trusted = nullptr) const;
  // authenticate(), and every byte behind it: blocks, padding and, unless they are encrypted and there is no key, what
  // they hold. So any byte of the file that differs from what was written is found.
  Result<void> verify(const PublicKey* trusted = nullptr) const;
  // The content of an entry of this bundle, verified. kLimit: it is larger than max_bytes.
  Result<ByteVector> read(const pak::Entry& entry, std::uint64_t max_bytes) const;
  // Checks what is stored of a block against its hash.
  Result<void> check_block(std::size_t block) const;

 private:
  Result<void> open_dictionary();
  Result<ByteVector> decode(std::size_t block) const;
  // The parts of an entry's content, one after the other; then whether its digest is of them.
  Result<void> each_part(const pak::Entry& entry, const std::function<void(ByteSpan part)>& use) const;
  Result<void> check_padding() const;

  Bytes file_, patch_;
  std::string patch_name_;
  Bytes image_;  // header, index and footer that a patch makes
  pak::View view_;
  std::vector<ByteSpan> places_;  // of blocks, where a patch is mounted
  std::shared_ptr<const ContentKey> key_;
  std::optional<compression::Dictionary> dictionary_;
};

}  // namespace assetc::bundle
