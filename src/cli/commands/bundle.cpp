// The commands that read a bundle: info, list, verify, extract.
#include <map>

#include "base/json_line.hpp"
#include "cli/commands/bundle_files.hpp"

namespace assetc::cli {
namespace {

// The stored bytes of the blocks of an entry, including blocks that it shares with others.
std::uint64_t stored_bytes(const bundle::Reader& bundle, const pak::Entry& entry) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t block : bundle.view().refs(entry)) bytes += bundle.view().blocks()[block].stored_size_bytes;
  return bytes;
}

// The codec of the first block of an entry. All its blocks use the same codec, except blocks that do not compress.
std::string codec_text(const bundle::Reader& bundle, const pak::Entry& entry) {
  const auto refs = bundle.view().refs(entry);
  return refs.empty() ? "none" : std::string(to_string(bundle.view().blocks()[refs.front()].codec));
}

struct CodecTotal {
  std::uint64_t blocks = 0, bytes = 0, stored_bytes = 0;
};

Result<int> info(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const bundle::Reader bundle, open_bundle(arguments, disk));
  ASSETC_CHECK(bundle.authenticate());
  const pak::View& view = bundle.view();
  const pak::Header& header = bundle.header();
  std::uint64_t content = 0;
  for (const pak::Entry& entry : bundle.entries()) content += entry.size_bytes;
  std::map<std::string, CodecTotal> codecs;
  std::uint64_t unique = 0;
  for (std::size_t i = 0; i < view.blocks().size(); ++i) {
    const pak::Block& block = view.blocks()[i];
    const bool is_dictionary = i == 0 && header.has_dictionary();
    if (!is_dictionary) unique += block.size_bytes;
    CodecTotal& total = codecs[is_dictionary ? "the dictionary" : std::string(to_string(block.codec))];
    ++total.blocks;
    total.bytes += block.size_bytes;
    total.stored_bytes += block.stored_size_bytes;
  }
  const std::string signer = header.is_signed() ? bundle::hex(header.signer) : "";
  const std::string key = header.is_encrypted() ? bundle::hex(header.key_id) : "";
  if (arguments.json) {
    JsonObject by_codec;
    for (const auto& [codec, total] : codecs)
      by_codec.add(
          codec,
          JsonObject().add("blocks", total.blocks).add("bytes", total.bytes).add("stored_bytes", total.stored_bytes));
    console.out(json_event("bundle")
                    .add("file", arguments.bundle.file)
                    .add("name", header.name_text())
                    .add("platform", header.platform_text())
                    .add("bundle_version", header.bundle_version)
                    .add("format_version", header.version)
                    .add("signed_by", signer)
                    .add("encrypted_with", key)
                    .add("bytes", view.file_size_bytes())
                    .add("assets", bundle.entries().size())
                    .add("content_bytes", content)
                    .add("unique_bytes", unique)
                    .add("index_bytes", view.index_bytes().size())
                    .add("codecs", by_codec)
                    .str() +
                "\n");
    return kExitOk;
  }
  using enum Table::Align;
  console.out(arguments.bundle.file + ": " + bundle_title(header) + ", " + plural(bundle.entries().size(), "asset") +
              ", " + size_text(view.file_size_bytes()) + "\n");
  console.out(signer.empty() ? "not signed\n" : "signed by " + signer + "\n");
  console.out(key.empty() ? "not encrypted\n\n" : "encrypted with key " + key + "\n\n");
  Table parts({kLeft, kRight, kRight, kRight});
  parts.add({"stored as", "blocks", "content", "stored"});
  for (const auto& [codec, total] : codecs)
    parts.add({codec, count_text(total.blocks), size_text(total.bytes), size_text(total.stored_bytes)});
  parts.add({"index", "", "", size_text(view.index_bytes().size())});
  console.out(parts.str());
  if (content > unique)
    console.out("identical contents are stored once, which saves " + size_text(content - unique) + "\n");
  return kExitOk;
}

Result<int> list(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const bundle::Reader bundle, open_bundle(arguments, disk));
  ASSETC_CHECK(bundle.authenticate());
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kLeft, kLeft});
  table.add({"asset", "size", "stored", "blocks", "codec", bundle.header().is_encrypted() ? "hmac-sha256" : "sha256"});
  for (const pak::Entry& entry : bundle.entries()) {
    if (arguments.json) {
      console.out(json_event("entry")
                      .add("uuid", entry.uuid.to_string())
                      .add("bytes", entry.size_bytes)
                      .add("stored_bytes", stored_bytes(bundle, entry))
                      .add("blocks", entry.ref_count)
                      .add("codec", codec_text(bundle, entry))
                      .add("digest", bundle::hex(entry.digest))
                      .str() +
                  "\n");
    } else {
      table.add({entry.uuid.to_string(), count_text(entry.size_bytes), count_text(stored_bytes(bundle, entry)),
                 count_text(entry.ref_count), codec_text(bundle, entry), bundle::hex(entry.digest)});
    }
  }
  if (!arguments.json) console.out(table.str());
  return kExitOk;
}

// Checks that the bundle has the platform, name and version that the command line asks for.
Result<void> check_expected(const BundleArguments& asked, const pak::Header& header) {
  const auto refuse = [](std::string_view what, std::string_view found, std::string_view expected) {
    return fail(ErrorCode::kConflict,
                "found " + std::string(what) + " " + std::string(found) + ", expected " + std::string(expected),
                "do not use it instead of the expected bundle");
  };
  if (!asked.platform.empty() && asked.platform != header.platform_text())
    return refuse("platform", header.platform_text(), asked.platform);
  if (!asked.name.empty() && asked.name != header.name_text()) return refuse("name", header.name_text(), asked.name);
  if (asked.at_least && header.bundle_version < *asked.at_least)
    return refuse("version", std::to_string(header.bundle_version), std::to_string(*asked.at_least) + " or newer");
  return {};
}

Result<int> verify(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  ASSETC_TRY(const std::optional<bundle::PublicKey> trusted, trusted_key_of(disk, asked));
  ASSETC_TRY(const bundle::Reader bundle, open_bundle(arguments, disk));
  ASSETC_CHECK(bundle.verify(trusted ? &*trusted : nullptr));
  ASSETC_CHECK(check_expected(asked, bundle.header()));
  const std::string signer = bundle.header().is_signed() ? bundle::hex(bundle.header().signer) : "";
  const bool decoded = !bundle.header().is_encrypted() || bundle.key() != nullptr;
  if (arguments.json) {
    console.out(json_event("verified")
                    .add("file", asked.file)
                    .add("name", bundle.header().name_text())
                    .add("platform", bundle.header().platform_text())
                    .add("bundle_version", bundle.header().bundle_version)
                    .add("assets", bundle.entries().size())
                    .add("signed_by", signer)
                    .add("trusted", trusted.has_value())
                    .add("decoded", decoded)
                    .str() +
                "\n");
    return kExitOk;
  }
  console.out(asked.file + ": " + bundle_title(bundle.header()) + " is intact, " +
              plural(bundle.entries().size(), "asset") + "\n");
  if (signer.empty()) {
    console.out("not signed: its origin cannot be verified\n");
  } else {
    console.out("signed by " + signer +
                (trusted ? "\n" : ", but not checked against a trusted key; give one with --key\n"));
  }
  if (!decoded) console.out("encrypted: its contents were not decrypted; give the key with --decrypt\n");
  return kExitOk;
}

Result<int> extract(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  ASSETC_TRY(const std::optional<bundle::PublicKey> trusted, trusted_key_of(disk, asked));
  ASSETC_TRY(const bundle::Reader bundle, open_bundle(arguments, disk));
  std::vector<const pak::Entry*> chosen;
  for (const std::string& text : asked.assets) {
    const auto uuid = Uuid::parse(text);
    if (!uuid) return fail(ErrorCode::kUsage, "found --asset " + text + ", expected a UUID");
    chosen.push_back(bundle.view().find(*uuid));
    if (chosen.back() == nullptr)
      return fail(ErrorCode::kNotFound, "has no asset " + uuid->to_string(), "`assetc bundle list` lists its assets");
  }
  if (asked.assets.empty()) {
    for (const pak::Entry& entry : bundle.entries()) chosen.push_back(&entry);
  }
  if (bundle.header().is_encrypted() && bundle.key() == nullptr) return bundle.locked();
  ASSETC_CHECK(bundle.verify(trusted ? &*trusted : nullptr));  // before anything is written
  const std::string folder = *arguments.output + "/Assets/";
  const std::uint64_t limit = arguments.memory_bytes != 0 ? arguments.memory_bytes : disk.memory_bytes() / 2;
  for (const pak::Entry* entry : chosen) {
    ASSETC_TRY(const ByteVector content, bundle.read(*entry, limit));
    const std::string path = folder + entry->uuid.to_string() + ".bin";
    ASSETC_TRY([[maybe_unused]] const engine::FileSignature signature, disk.publish(path, content));
    if (arguments.json) console.out(json_event("written").add("path", path).add("bytes", content.size()).str() + "\n");
  }
  if (!arguments.json) console.out("wrote " + plural(chosen.size(), "asset") + " to " + printable(folder) + "\n");
  return kExitOk;
}

template <class Command>
int run_on_bundle(const Arguments& arguments, Console& console, engine::Disk& disk, const Command& command) {
  const Result<int> done = command(arguments, console, disk);
  return done ? *done : stop(arguments, console, Error(done.error()).in(arguments.bundle.file));
}

}  // namespace

int run_bundle_info(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return run_on_bundle(arguments, console, disk, info);
}
int run_bundle_list(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return run_on_bundle(arguments, console, disk, list);
}
int run_bundle_verify(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return run_on_bundle(arguments, console, disk, verify);
}
int run_bundle_extract(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return run_on_bundle(arguments, console, disk, extract);
}

}  // namespace assetc::cli
