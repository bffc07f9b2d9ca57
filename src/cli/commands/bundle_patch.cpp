// The commands for patches: bundle diff and bundle apply.

#include "base/json_line.hpp"
#include "bundle/patch.hpp"
#include "cli/commands/bundle_files.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

void print(const Arguments& arguments, Console& console, const bundle::PatchReport& report,
           const bundle::Reader& next) {
  const std::uint64_t full = next.view().file_size_bytes();
  if (arguments.json) {
    console.out(json_event("written")
                    .add("path", *arguments.output)
                    .add("bytes", report.patch_bytes)
                    .add("block_bytes", report.block_bytes)
                    .add("changed_bytes", report.changed_bytes)
                    .add("full_bytes", full)
                    .add("added", report.added)
                    .add("changed", report.changed)
                    .add("removed", report.removed)
                    .add("new_dictionary", report.new_dictionary)
                    .str() +
                "\n");
    return;
  }
  console.wrote(*arguments.output,
                ", to " + bundle_title(next.header()) + ": " + size_text(report.patch_bytes) + " for " +
                    size_text(report.changed_bytes) + " of changed contents, " +
                    formatted("{:.1f} %", 100.0 * static_cast<double>(report.patch_bytes) / static_cast<double>(full)) +
                    " of a full download of " + size_text(full));
  console.out(plural(report.changed, "asset") + " changed, " + count_text(report.added) + " added, " +
              count_text(report.removed) + " removed\n");
}

Result<int> diff(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  const std::string& output = *arguments.output;
  ASSETC_CHECK(check_other_file(asked.file, output, disk));
  ASSETC_CHECK(check_other_file(asked.second, output, disk));
  ASSETC_TRY(const bundle::Reader old, open_bundle(disk, asked.file));
  ASSETC_TRY(const bundle::Reader next, open_bundle(disk, asked.second));
  if (auto whole = old.authenticate(); !whole) return std::unexpected(std::move(whole).error().in(asked.file));
  if (auto whole = next.authenticate(); !whole) return std::unexpected(std::move(whole).error().in(asked.second));
  auto report =
      write_file(disk, output, [&](const bundle::Sink& sink) { return bundle::write_patch(old, next, sink); });
  if (!report) return std::unexpected(std::move(report).error().in(asked.second));
  if (report->new_dictionary)
    say(arguments, console,
        {recipes::Severity::kNote, Error{ErrorCode::kUnsupported,
                                         asked.second,
                                         {},
                                         "has another dictionary, so the patch contains every small asset",
                                         "create it again with --base " + asked.file}});
  print(arguments, console, *report, next);
  return kExitOk;
}

// Anyone can write a patch. Without this check, a patch could turn a signed bundle into an unsigned one.
Result<void> check_same_signer(const pak::Header& old, const pak::Header& next) {
  if (!old.is_signed() || old.signer == next.signer) return {};
  return fail(ErrorCode::kConflict,
              "turns a bundle signed by " + bundle::hex(old.signer) +
                  (next.is_signed() ? " into one signed by " + bundle::hex(next.signer) : " into an unsigned one"),
              next.is_signed() ? "if the signer changed, give the new public key with --key"
                               : "if this is intended, use --any-signer");
}

Result<int> apply(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const BundleArguments& asked = arguments.bundle;
  const std::string output = arguments.output.value_or(asked.file);
  ASSETC_CHECK(check_other_file(asked.second, output, disk));
  ASSETC_TRY(const std::optional<bundle::PublicKey> trusted, trusted_key_of(disk, asked));
  ASSETC_TRY(const bundle::Reader old, open_bundle(disk, asked.file));
  const auto in_patch = [&](Error error) { return std::unexpected(std::move(error).in(asked.second)); };
  ASSETC_TRY(Bytes patch, disk.peek(asked.second));
  const auto mounted = old.mount(std::move(patch), asked.second);
  if (!mounted) return in_patch(mounted.error());
  if (auto whole = mounted->authenticate(trusted ? &*trusted : nullptr); !whole) return in_patch(whole.error());
  if (!trusted && !asked.any_signer) {
    if (auto same = check_same_signer(old.header(), mounted->header()); !same) return in_patch(same.error());
  }
  ASSETC_CHECK(write_file(disk, output, [&](const bundle::Sink& sink) { return write_patched(*mounted, sink); }));
  const std::uint64_t bytes = mounted->view().file_size_bytes();
  if (arguments.json) {
    console.out(json_event("written").add("path", output).add("bytes", bytes).str() + "\n");
  } else {
    console.wrote(output, ", " + bundle_title(mounted->header()) + ": " + size_text(bytes));
  }
  return kExitOk;
}

}  // namespace

int run_bundle_diff(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto done = diff(arguments, console, disk);
  return done ? *done : stop(arguments, console, done.error());
}

int run_bundle_apply(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto done = apply(arguments, console, disk);
  return done ? *done : stop(arguments, console, Error(done.error()).in(arguments.bundle.file));
}

}  // namespace assetc::cli
