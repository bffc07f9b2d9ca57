// The commands keygen and sign.
#include "base/json_line.hpp"
#include "cli/commands/bundle_files.hpp"

namespace assetc::cli {
namespace {

void say_written(const Arguments& arguments, Console& console, const std::string& path, const std::string& what) {
  if (arguments.json) {
    console.out(json_event("written").add("path", path).add("what", what).str() + "\n");
  } else {
    console.wrote(path, ", " + what);
  }
}

Result<int> keygen(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  const std::string secret = asked.file + ".key", shown = asked.file + ".pub";
  for (const std::string& path : {secret, shown}) {
    if (path == shown && asked.encryption) continue;
    if (disk.status(path))
      return std::unexpected(Error{ErrorCode::kConflict,
                                   path,
                                   {},
                                   "already exists; overwriting it would lose the old key",
                                   "give the new key another name"});
  }
  const auto write_secret = [&](const std::string& pem) -> Result<void> {
    ASSETC_TRY([[maybe_unused]] const engine::FileSignature written, disk.publish_secret(secret, as_bytes(pem)));
    return {};
  };
  if (asked.encryption) {
    const bundle::ContentKey key = bundle::ContentKey::generate();
    ASSETC_CHECK(write_secret(key.to_pem()));
    say_written(arguments, console, secret, "the key " + bundle::hex(key.id()) + ", which encrypts and decrypts");
    return kExitOk;
  }
  const bundle::SigningKey key = bundle::SigningKey::generate();
  ASSETC_CHECK(write_secret(key.to_pem()));
  ASSETC_TRY([[maybe_unused]] const engine::FileSignature written,
             disk.publish(shown, as_bytes(bundle::to_pem(key.public_key()))));
  say_written(arguments, console, secret, "the signing key: keep it secret");
  say_written(arguments, console, shown,
              "the public key " + bundle::hex(key.public_key()) + ", which verifies signatures");
  return kExitOk;
}

Result<int> sign(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  const std::string output = arguments.output.value_or(asked.file);
  ASSETC_TRY(const bundle::SigningKey key, engine::read_signing_key(disk, asked.signing_key, asked.may_share_keys));
  ASSETC_TRY(const bundle::Reader bundle, open_bundle(arguments, disk));
  ASSETC_CHECK(bundle.verify());  // a damaged bundle must not get a valid signature
  ASSETC_CHECK(write_file(disk, output, [&](const bundle::Sink& sink) { return sign_bundle(bundle, key, sink); }));
  say_written(arguments, console, output,
              bundle_title(bundle.header()) + ", signed by " + bundle::hex(key.public_key()));
  return kExitOk;
}

}  // namespace

int run_keygen(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto done = keygen(arguments, console, disk);
  return done ? *done : stop(arguments, console, done.error());
}

int run_sign(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto done = sign(arguments, console, disk);
  return done ? *done : stop(arguments, console, Error(done.error()).in(arguments.bundle.file));
}

}  // namespace assetc::cli
