// assetc ktx: the command `ktx` on this machine's files. Its arguments are not assetc's.
#include "ktx/ktx.hpp"

#include <array>
#include <cstdio>

#include "base/absolute_path.hpp"
#include "base/ascii.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/console.hpp"

namespace assetc::cli {
namespace {

Result<Bytes> read_standard_input() {
  ByteVector bytes;
  std::array<std::byte, 1 << 16> buffer;
  while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), stdin))
    bytes.insert(bytes.end(), buffer.begin(), buffer.begin() + static_cast<std::ptrdiff_t>(count));
  if (std::ferror(stdin) != 0) return fail(ErrorCode::kIo, "cannot read from standard input");
  return Bytes(std::move(bytes));
}

// Whether the program was started under the name "ktx", for example through a link.
bool is_named_ktx(std::string_view program) {
  std::string name = ascii_lower(program.substr(program.find_last_of("/\\") + 1));
  if (name.ends_with(".exe")) name.resize(name.size() - 4);
  return name == "ktx";
}

}  // namespace

std::optional<std::vector<std::string>> ktx_arguments(std::span<const char* const> words) {
  if (words.empty()) return std::nullopt;
  const bool named = is_named_ktx(words[0]);
  if (!named && (words.size() < 2 || std::string_view(words[1]) != "ktx")) return std::nullopt;
  words = words.subspan(named ? 1 : 2);
  return std::vector<std::string>(words.begin(), words.end());
}

int run_ktx(std::span<const std::string> arguments, Console& console, engine::Disk& disk) {
  return ktx::run(arguments, {.read = [&](const std::string& path) -> Result<Bytes> {
                                return path == "-" ? read_standard_input() : disk.read(with_slashes(path));
                              },
                              .write = [&](const std::string& path, ByteSpan bytes) -> Result<void> {
                                if (path != "-") {
                                  ASSETC_TRY([[maybe_unused]] const auto signature,
                                             disk.publish(with_slashes(path), bytes));
                                  return {};
                                }
                                std::fwrite(bytes.data(), 1, bytes.size(), stdout);
                                return {};  // run() reports a failure when it flushes
                              },
                              .out = [&](std::string_view text) { console.out(text); },
                              .err = [&](std::string_view text) { console.err(text); }});
}

}  // namespace assetc::cli
