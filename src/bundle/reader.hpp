// Reads and verifies a bundle, or a bundle with a mounted patch.
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

// Entries may share blocks, so that a few bytes name any amount of content. More than this for each byte of the blocks,
// and more than this in total, is neither written nor verified.
inline constexpr std::uint64_t kMaxRepetition = 64, kMaxRepeatedBytes = 4ull << 30;
// block_bytes: of the contents of the blocks. Errors: kLimit.
Result<void> check_repetition(std::uint64_t content_bytes, std::uint64_t block_bytes);

// Thread safety: const.
class Reader {
 public:
  // file: usually mapped. key: the key of an encrypted bundle; without it, entries cannot be read. May be null. Errors:
  // those of pak::View::open; kUsage for the key of another bundle.
  static Result<Reader> open(Bytes file, std::shared_ptr<const ContentKey> key = nullptr);
  // Opens a bundle that is neither mapped nor in memory: only its header, index and footer are read now, and each block
  // when it is needed. Another program may then change the file. Such a reader has no stored(), and cannot be verified
  // or patched. read_at: returns fewer bytes at the end of the file. Errors: those of open(); kLimit for an index of
  // more than kMaxReadIndexBytes.
  using ReadAt = std::function<Result<Bytes>(std::uint64_t offset_bytes, std::size_t size_bytes)>;
  static constexpr std::uint64_t kMaxReadIndexBytes = 256u << 20;
  static Result<Reader> open_to_read(std::uint64_t file_size_bytes, ReadAt read_at);
  // Returns the bundle that the patch makes from this one, without writing it. Its blocks are in either file. Errors:
  // kConflict for a patch of another bundle, or to an older version; kInvalidData.
  // name: of the patch, for errors in its blocks.
  Result<Reader> mount(Bytes patch, std::string name = {}) const;

  const pak::View& view() const { return view_; }
  const pak::Header& header() const { return view_.header(); }
  std::span<const pak::Entry> entries() const { return view_.entries(); }
  const std::optional<compression::Dictionary>& dictionary() const { return dictionary_; }
  const ContentKey* key() const { return key_.get(); }
  // Returns the error of an operation that needs the key of an encrypted bundle.
  std::unexpected<Error> locked() const;
  // Returns the identity by which a patch refers to a bundle: the hash of its header and footer.
  Sha256 id() const { return sha256(view_.header_bytes(), view_.footer_bytes()); }
  ByteSpan stored(std::size_t block) const;

  // Checks that header and index were not changed: index hash, MAC (with a key) and signature (if there is one).
  // trusted: the required signer; null: the signer in the header. Errors: kInvalidData.
  Result<void> authenticate(const PublicKey* trusted = nullptr) const;
  // authenticate(), and all other bytes: blocks, padding, and their content (unless encrypted and there is no key).
  // This detects every changed byte of the file. Errors: those of authenticate() and check_repetition().
  Result<void> verify(const PublicKey* trusted = nullptr) const;
  // Returns the verified content of an entry of this bundle. kLimit: it is larger than max_bytes.
  Result<ByteVector> read(const pak::Entry& entry, std::uint64_t max_bytes) const;
  // Returns the content of the first block of an entry, empty for an entry without blocks. The block is verified, the
  // entry is not.
  Result<ByteVector> read_first_block(const pak::Entry& entry) const;
  // Returns the content of a block, which is at most pak::kMaxBlockBytes. It is verified.
  Result<ByteVector> read_block(std::size_t block) const { return decode(block); }
  // Checks the stored bytes of a block against its hash.
  Result<void> check_block(std::size_t block) const { return check_stored(block, stored(block)); }

 private:
  Result<void> open_dictionary();
  Result<void> check_stored(std::size_t block, ByteSpan stored) const;
  Result<ByteVector> decode(std::size_t block) const;
  // Calls use for the parts of an entry's content in order, then checks the digest.
  Result<void> each_part(const pak::Entry& entry, const std::function<void(ByteSpan part)>& use) const;
  Result<void> check_padding() const;
  Result<void> check_repetition() const;

  Bytes file_, patch_;
  std::string patch_name_;
  Bytes image_;  // header, index and footer after the patch, or of a file that is not in memory
  pak::View view_;
  std::vector<ByteSpan> places_;  // of blocks, if a patch is mounted
  ReadAt read_at_;                // null: file_ has the blocks
  std::shared_ptr<const ContentKey> key_;
  std::optional<compression::Dictionary> dictionary_;
};

}  // namespace assetc::bundle
