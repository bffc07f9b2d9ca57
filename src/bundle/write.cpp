#include "bundle/write.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <unordered_map>

#include "base/plural.hpp"
#include "bundle/chunker.hpp"
#include "formats/message.hpp"
#include "formats/pak/identity.hpp"
#include "parallel/parallel.hpp"

namespace assetc::bundle {
namespace {

using formats::message;
using formats::quote;

constexpr compression::FrameOptions kFrames{.level = 15};  // of blocks
// Contents in memory at a time. A larger content is processed alone.
constexpr std::uint64_t kBatchBytes = 64ull << 20;
// Contents up to this size are one block, which an engine can read in place.
constexpr std::uint64_t kWholeBytes = 128u << 10;
// The size of blocks that profit from a dictionary, and the samples for its training. Too few samples give a useless
// dictionary.
constexpr std::uint64_t kSmallBytes = 8u << 10;
constexpr std::uint64_t kMaxSampleBytes = 4u << 20, kMinSampleBytes = 16u << 10;
constexpr std::size_t kMinSamples = 32;
constexpr std::uint64_t kMaxDictionaryBytes = 64u << 10;

struct HashOfSha256 {
  std::size_t operator()(const Sha256& hash) const {
    std::size_t start = 0;
    std::memcpy(&start, hash.data(), sizeof start);
    return start;
  }
};

// A content and its chunks.
struct Prepared {
  Bytes content;
  Sha256 digest{};
  std::vector<std::size_t> sizes;  // of its chunks
  std::vector<Sha256> hashes;      // of its chunks
};

// The stored form of a block, before it has an offset.
struct Encoded {
  pak::Codec codec = pak::Codec::kNone;
  ByteVector bytes;
};

template <std::size_t N>
Result<std::array<char, N>> name_field(const std::string& text, std::string_view what, std::string_view option) {
  if (const auto fault = pak::name_fault(text, N); !fault.empty())
    return fail(ErrorCode::kUsage, message("found ", quote(text), " as the ", what, " of the bundle, which ", fault),
                message("give another with ", option));
  std::array<char, N> field{};
  std::ranges::copy(text, field.begin());
  return field;
}

// Authenticates the header and the index: the MAC of an encrypted bundle, or a hash.
pak::Sha256 mac_of(const ContentKey* key, const pak::Header& header, const pak::Footer& footer) {
  const ByteVector message = pak::mac_message(object_bytes(header), object_bytes(footer));
  return key != nullptr ? key->mac(message) : sha256(message);
}

class Writer {
 public:
  Writer(const WriteOptions& options, std::span<const Input> inputs, const ReadInput& read, const Sink& sink)
      : options_(options), inputs_(inputs), read_(read), sink_(sink) {}

  Result<WriteReport> write() {
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      if (inputs_[i - 1].uuid < inputs_[i].uuid) continue;
      return fail(ErrorCode::kConflict, "found " + inputs_[i].uuid.to_string() + " twice", "cook again");
    }
    if (inputs_.size() > std::numeric_limits<std::uint32_t>::max())
      return fail(ErrorCode::kLimit, message("found ", counted(inputs_.size(), "asset"), " for one bundle"),
                  "make several bundles");
    ASSETC_TRY(header_.platform, name_field<32>(options_.platform, "platform", "--platform"));
    ASSETC_TRY(header_.name, name_field<64>(options_.name, "name", "--name"));
    header_.bundle_version = options_.version;
    if (options_.sign != nullptr) {
      header_.flags |= pak::kSigned;
      header_.signer = options_.sign->public_key();
    }
    if (options_.encrypt != nullptr) {
      header_.flags |= pak::kEncrypted;
      header_.key_id = options_.encrypt->id();
    }
    ASSETC_CHECK(choose_dictionary());
    if (dictionary_) header_.flags |= pak::kDictionary;
    ASSETC_CHECK(lay_out());
    ASSETC_CHECK(put(object_bytes(header_)));
    if (dictionary_) {
      report_.dictionary_bytes = dictionary_->bytes().size();
      const ByteSpan bytes = dictionary_->bytes();
      ASSETC_CHECK(put_block(seal({pak::Codec::kNone, ByteVector(bytes.begin(), bytes.end())}, Uuid{}),
                             static_cast<std::uint32_t>(bytes.size()), 0));
    }
    entries_.resize(inputs_.size());
    refs_of_.resize(inputs_.size());
    ASSETC_CHECK(each_batch([&](std::span<const std::size_t> numbers, const std::vector<Prepared>& prepared) {
      return write_batch(numbers, prepared);
    }));
    ASSETC_CHECK(check_repetition(report_.content_bytes, report_.content_bytes - report_.shared_bytes));
    ASSETC_CHECK(write_index());
    report_.file_bytes = offset_;
    report_.blocks = blocks_.size();
    return std::move(report_);
  }

 private:
  Result<void> put(ByteSpan bytes) {
    offset_ += bytes.size();
    return sink_(bytes);
  }
  Result<void> pad() {
    static constexpr std::byte kZeros[pak::kAlignment]{};
    return put(ByteSpan(kZeros).first(pak::align_up(offset_) - offset_));
  }

  Result<Bytes> read_input(std::size_t i) const {
    ASSETC_TRY(Bytes content, read_(i));
    if (content.size() != inputs_[i].size_bytes)
      return fail(ErrorCode::kIo, inputs_[i].uuid.to_string() + " changed while it was bundled", "bundle again");
    return content;
  }

  // read() for several inputs in parallel. Returns the error of the first one that has one.
  Result<std::vector<Bytes>> read_inputs(std::span<const std::size_t> numbers) const {
    std::vector<Result<Bytes>> read(numbers.size());
    parallel_for(numbers.size(), [&](std::size_t i) { read[i] = read_input(numbers[i]); });
    std::vector<Bytes> out;
    for (Result<Bytes>& one : read) {
      if (!one) return std::unexpected(std::move(one).error());
      out.push_back(std::move(*one));
    }
    return out;
  }

  Result<void> choose_dictionary() {
    if (options_.base != nullptr) {
      if (options_.base->header().has_dictionary() && !options_.base->dictionary())
        return fail(ErrorCode::kUsage, "the base is encrypted with another key", "give its key with --encrypt");
      dictionary_ = options_.base->dictionary();
      return {};
    }
    std::vector<std::size_t> small;
    std::uint64_t small_bytes = 0, sample_bytes = 0;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const std::uint64_t size = inputs_[i].size_bytes;
      if (size == 0 || size > kSmallBytes) continue;
      small_bytes += size;
      if (sample_bytes + size > kMaxSampleBytes) continue;
      sample_bytes += size;
      small.push_back(i);
    }
    if (small.size() < kMinSamples || sample_bytes < kMinSampleBytes) return {};
    ASSETC_TRY(const std::vector<Bytes> samples, read_inputs(small));
    auto trained = compression::Dictionary::train(samples, std::min(kMaxDictionaryBytes, sample_bytes / 8));
    if (!trained) return {};
    std::atomic<std::int64_t> saved = 0;
    parallel_for(samples.size(), [&](std::size_t i) {
      const auto size = [&](const std::optional<ByteVector>& bytes) {
        return static_cast<std::int64_t>(bytes ? bytes->size() : samples[i].size());
      };
      saved += size(compression::deflate_if_smaller(samples[i], kFrames)) -
               size(compression::deflate_if_smaller(samples[i], kFrames, &*trained));
    });
    // The total saving, estimated from the saving on the samples.
    const double fraction = static_cast<double>(small_bytes) / static_cast<double>(sample_bytes);
    if (static_cast<double>(saved) * fraction > static_cast<double>(trained->bytes().size()))
      dictionary_ = std::move(trained);
    return {};
  }

  Prepared prepare(Bytes content) const {
    Prepared out;
    out.digest = options_.encrypt != nullptr ? options_.encrypt->digest(content) : sha256(content);
    out.sizes = !content.empty() && content.size() <= kWholeBytes ? std::vector{content.size()} : chunk_sizes(content);
    if (out.sizes.size() == 1 && options_.encrypt == nullptr) {
      out.hashes = {out.digest};
    } else {
      std::size_t at = 0;
      for (const std::size_t size : out.sizes) {
        out.hashes.push_back(sha256(content.span().subspan(at, size)));
        at += size;
      }
    }
    out.content = std::move(content);
    return out;
  }

  Encoded seal(Encoded encoded, const Uuid& owner) const {
    if (options_.encrypt != nullptr)
      encoded.bytes = options_.encrypt->seal(pak::block_identity(header_, owner), encoded.bytes);
    return encoded;
  }

  Encoded encode(ByteSpan content, const Uuid& owner) const {
    const bool with_dictionary = dictionary_ && content.size() <= kSmallBytes;
    auto deflated = compression::deflate_if_smaller(content, kFrames, with_dictionary ? &*dictionary_ : nullptr);
    if (!deflated) return seal({pak::Codec::kNone, ByteVector(content.begin(), content.end())}, owner);
    return seal({with_dictionary ? pak::Codec::kZstdDictionary : pak::Codec::kZstd, std::move(*deflated)}, owner);
  }

  Result<void> put_block(const Encoded& encoded, std::uint32_t size, std::uint32_t owner) {
    ASSETC_CHECK(pad());
    blocks_.push_back(
        {offset_, size, static_cast<std::uint32_t>(encoded.bytes.size()), encoded.codec, owner, sha256(encoded.bytes)});
    return put(encoded.bytes);
  }

  // Sets the order of inputs in the file. In another order than that of UUIDs, the owner of a shared block may come
  // later in the file, so all contents are read to find the owners first.
  Result<void> lay_out() {
    std::vector<bool> is_there(inputs_.size());
    for (const std::size_t i : options_.order) {
      if (!is_there[i]) order_.push_back(i);
      is_there[i] = true;
    }
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (!is_there[i]) order_.push_back(i);
    }
    if (std::ranges::is_sorted(order_)) return {};
    header_.flags |= pak::kLaidOut;
    return each_batch([&](std::span<const std::size_t> numbers, const std::vector<Prepared>& prepared) {
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        for (const Sha256& hash : prepared[k].hashes) {
          const auto [owner, is_new] = owner_of_.try_emplace(hash, numbers[k]);
          if (!is_new) owner->second = std::min(owner->second, numbers[k]);
        }
      }
      return Result<void>();
    });
  }

  // Reads and cuts inputs in parallel, as many at a time as kBatchBytes allows, in the order of the file. use(numbers,
  // prepared) returns a Result<void>.
  template <class Use>
  Result<void> each_batch(const Use& use) {
    for (std::size_t from = 0; from < order_.size();) {
      std::size_t to = from;
      for (std::uint64_t bytes = 0; to < order_.size() && (to == from || bytes < kBatchBytes); ++to)
        bytes += inputs_[order_[to]].size_bytes;
      const std::span<const std::size_t> numbers = std::span(order_).subspan(from, to - from);
      ASSETC_TRY(std::vector<Bytes> contents, read_inputs(numbers));
      std::vector<Prepared> prepared(contents.size());
      parallel_for(contents.size(), [&](std::size_t k) { prepared[k] = prepare(std::move(contents[k])); });
      ASSETC_CHECK(use(numbers, prepared));
      from = to;
    }
    return {};
  }

  // Compresses new blocks in parallel, then writes them in order.
  Result<void> write_batch(std::span<const std::size_t> numbers, const std::vector<Prepared>& prepared) {
    struct New {
      ByteSpan content;
      std::uint32_t owner;
    };
    std::vector<New> fresh;
    for (std::size_t k = 0; k < numbers.size(); ++k) {
      const std::size_t i = numbers[k];
      const Prepared& one = prepared[k];
      entries_[i] = {inputs_[i].uuid, one.digest, one.content.size(), 0, static_cast<std::uint32_t>(one.sizes.size())};
      report_.content_bytes += one.content.size();
      std::size_t at = 0;
      bool all_known = true;
      for (std::size_t c = 0; c < one.sizes.size(); ++c) {
        const auto number = static_cast<std::uint32_t>(blocks_.size() + fresh.size());
        const auto [known, is_new] = block_of_.try_emplace(one.hashes[c], number);
        if (is_new) {
          const auto owner = owner_of_.find(one.hashes[c]);
          fresh.push_back({one.content.span().subspan(at, one.sizes[c]),
                           static_cast<std::uint32_t>(owner == owner_of_.end() ? i : owner->second)});
        } else {
          report_.shared_bytes += one.sizes[c];
        }
        all_known = all_known && !is_new;
        refs_of_[i].push_back(known->second);
        at += one.sizes[c];
      }
      if (const auto [first, is_new] = entry_of_.try_emplace(one.digest, i); !is_new && all_known && at != 0)
        report_.twice.push_back({inputs_[i].uuid, inputs_[first->second].uuid, at});
      ref_count_ += one.sizes.size();
      if (ref_count_ > std::numeric_limits<std::uint32_t>::max())
        return fail(ErrorCode::kLimit, "found contents of more than 2^32 blocks for one bundle",
                    "make several bundles");
    }
    std::vector<Encoded> encoded(fresh.size());
    parallel_for(fresh.size(),
                 [&](std::size_t i) { encoded[i] = encode(fresh[i].content, inputs_[fresh[i].owner].uuid); });
    for (std::size_t i = 0; i < fresh.size(); ++i)
      ASSETC_CHECK(put_block(encoded[i], static_cast<std::uint32_t>(fresh[i].content.size()), fresh[i].owner));
    return {};
  }

  Result<void> write_index() {
    ASSETC_CHECK(pad());
    std::vector<std::uint32_t> refs;
    refs.reserve(ref_count_);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].first_ref = static_cast<std::uint32_t>(refs.size());
      refs.insert(refs.end(), refs_of_[i].begin(), refs_of_[i].end());
    }
    pak::Footer footer;
    footer.entry_count = static_cast<std::uint32_t>(entries_.size());
    footer.block_count = static_cast<std::uint32_t>(blocks_.size());
    footer.ref_count = static_cast<std::uint32_t>(refs.size());
    footer.index_offset_bytes = offset_;
    ByteVector index;
    append_array(index, std::span<const pak::Entry>(entries_));
    append_array(index, std::span<const pak::Block>(blocks_));
    append_array(index, std::span<const std::uint32_t>(refs));
    pad_to(index, pak::kAlignment);
    footer.index_sha256 = sha256(index);
    footer.mac = mac_of(options_.encrypt, header_, footer);
    if (options_.sign != nullptr)
      footer.signature = options_.sign->sign(pak::signature_message(object_bytes(header_), object_bytes(footer)));
    ASSETC_CHECK(put(index));
    return put(object_bytes(footer));
  }

  const WriteOptions& options_;
  std::span<const Input> inputs_;
  const ReadInput& read_;
  const Sink& sink_;
  std::optional<compression::Dictionary> dictionary_;
  pak::Header header_;
  std::vector<pak::Entry> entries_;
  std::vector<pak::Block> blocks_;
  std::vector<std::size_t> order_;                   // of inputs in the file
  std::vector<std::vector<std::uint32_t>> refs_of_;  // of each input
  std::size_t ref_count_ = 0;
  std::unordered_map<Sha256, std::uint32_t, HashOfSha256> block_of_;
  std::unordered_map<Sha256, std::size_t, HashOfSha256> entry_of_;
  std::unordered_map<Sha256, std::size_t, HashOfSha256> owner_of_;  // of shared blocks, if the bundle is laid out
  std::uint64_t offset_ = 0;
  WriteReport report_;
};

}  // namespace

Result<WriteReport> write_bundle(const WriteOptions& options, std::span<const Input> inputs, const ReadInput& read,
                                 const Sink& sink) {
  return Writer(options, inputs, read, sink).write();
}

Result<void> sign_bundle(const Reader& bundle, const SigningKey& key, const Sink& sink) {
  pak::Header header = bundle.header();
  pak::Footer footer = bundle.view().footer();
  if (header.is_encrypted() && bundle.key() == nullptr) return bundle.locked();  // the MAC covers the signer
  header.flags |= pak::kSigned;
  header.signer = key.public_key();
  footer.signature = {};
  footer.mac = mac_of(bundle.key(), header, footer);
  footer.signature = key.sign(pak::signature_message(object_bytes(header), object_bytes(footer)));
  ASSETC_CHECK(sink(object_bytes(header)));
  std::uint64_t end = sizeof header;
  static constexpr std::byte kZeros[pak::kAlignment]{};
  const auto pad = [&]() -> Result<void> { return sink(ByteSpan(kZeros).first(pak::align_up(end) - end)); };
  for (std::size_t i = 0; i < bundle.view().blocks().size(); ++i) {
    ASSETC_CHECK(pad());
    ASSETC_CHECK(sink(bundle.stored(i)));
    end = bundle.view().blocks()[i].offset_bytes + bundle.stored(i).size();
  }
  ASSETC_CHECK(pad());
  ASSETC_CHECK(sink(bundle.view().index_bytes()));
  return sink(object_bytes(footer));
}

}  // namespace assetc::bundle
