#include "import/fbx/fbx.hpp"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/ascii.hpp"
#include "base/exceptions.hpp"
#include "base/text_file.hpp"
#include "import/model/lod_names.hpp"
#include "import/model/scene_message.hpp"

namespace assetc::importer {
namespace {

constexpr std::uint32_t kMaxMessageBytes = 2u << 30;
constexpr std::string_view kBinaryMagic = "Kaydara FBX Binary";
constexpr std::size_t kVersionByte = 23;
constexpr std::size_t kTextHeadBytes = 1024;  // a text FBX contains "FBX" within these bytes

constexpr std::string_view kExportHint = "export it again as binary FBX 2014 (7.4) or later, or as glTF";
constexpr process::Words kWords{.who = "the FBX reader",
                                .crash_hint = kExportHint,
                                .growing_hint = "split the model into several files, or export it as glTF"};

Result<void> check_header(ByteSpan file) {
  const std::string_view text = as_text(file);
  if (text.starts_with(kBinaryMagic)) {
    if (file.size() < kVersionByte + 4)
      return fail_at(ErrorCode::kTruncated, byte_place(file.size()), "the file ends inside the FBX header",
                     "copy or export it again");
    return {};
  }
  if (ascii_lower(text.substr(0, kTextHeadBytes)).find("fbx") != text.npos) return {};
  return fail_at(file.empty() ? ErrorCode::kTruncated : ErrorCode::kInvalidData, byte_place(0),
                 file.empty() ? "the file is empty, expected an FBX model" : "found neither binary nor text FBX",
                 std::string(kExportHint));
}

// The request has the limits and the file. The answer is 1 and the scene, or 0 and the error.
int serve(int socket) {
  const std::uint64_t started_bytes = process::prepare_to_serve();
  ByteVector job;
  if (!process::receive_message(socket, job, process::kNever, kMaxMessageBytes)) return 0;
  process::MessageReader reader(job);
  const auto limits = reader.number<process::Limits>();
  const ByteSpan file = reader.blob();
  if (!reader.ok()) return 1;
  process::limit_source(limits, started_bytes);
  process::MessageWriter answer;
  const Result<Imported> imported = read_fbx_here(file);
  answer.number(std::uint8_t{imported.has_value()});
  imported ? write_imported(answer, *imported) : void(answer.error(imported.error()));
  if (answer.bytes().size() > kMaxMessageBytes) {
    answer = process::MessageWriter();
    answer.number(std::uint8_t{0})
        .error({ErrorCode::kLimit,
                {},
                {},
                "the model takes more than 2 GiB when it is read",
                std::string(kWords.growing_hint)});
  }
  return process::send_message(socket, answer.bytes(), process::kNever, kMaxMessageBytes) ? 0 : 1;
}

Result<Imported> ask(process::Child& child, ByteSpan file, const process::Limits& limits) {
  const process::Deadline deadline = std::chrono::steady_clock::now() + std::chrono::seconds(limits.seconds);
  process::MessageWriter job;
  job.number(limits).blob(file);
  ByteVector answer;
  if (!process::send_message(child.socket(), job.bytes(), deadline, kMaxMessageBytes) ||
      !process::receive_message(child.socket(), answer, deadline, kMaxMessageBytes)) {
    return std::unexpected(child.end(limits, deadline, kWords));
  }
  process::MessageReader reader(answer);
  if (reader.number<std::uint8_t>() == 1) return read_imported(reader);
  Error error = reader.error();
  if (!reader.ok()) return fail(ErrorCode::kInvalidData, "the answer of the FBX reader cannot be read");
  return std::unexpected(std::move(error));
}

Result<Imported> read_isolated(ByteSpan file, const process::Limits& limits) {
  if (file.size() > kMaxMessageBytes / 2)
    return fail(ErrorCode::kLimit, "the file is larger than 1 GiB", std::string(kWords.growing_hint));
  if (process::can_start()) {
    ASSETC_TRY(std::optional<process::Child> child, process::Child::start(kFbxReader, kWords));
    if (child) {
      Result<Imported> imported = ask(*child, file, limits);
      if (!child->ended() || child->started()) return imported;
    }
  }
  return read_fbx_here(file);
}

// Finds the image that the author of the file most likely meant.
class ImageFinder {
 public:
  ImageFinder(std::string_view source_path, const FileProbe& exists) : source_path_(source_path), exists_(exists) {}

  // The path of an image that the file calls `reference`. Warns if the path differs.
  std::string find(const std::string& reference, std::vector<Warning>& warnings) const {
    const auto named = resolve_path(source_path_, reference);
    if (named && exists_(*named)) return *named;
    const std::string_view leaf = std::string_view(reference).substr(reference.find_last_of("/\\") + 1);
    const std::string_view own = file_name(source_path_);
    const std::string media = std::string(own.substr(0, own.rfind('.'))).append(".fbm/");
    for (const std::string_view folder :
         {std::string_view(), std::string_view(media), std::string_view("textures/"), std::string_view("Textures/"),
          std::string_view("../textures/"), std::string_view("../Textures/")}) {
      const auto path = resolve_path(source_path_, std::string(folder).append(leaf));
      if (!path || !exists_(*path)) continue;
      warnings.push_back(
          {WarningKind::kMovedPicture,
           ErrorCode::kNotFound,
           {},
           "image \"" + reference + "\"",
           "it does not exist or is outside the input folder; " + *path + ", which has the same name, is used",
           "export with relative paths, or embed the images"});
      return *path;
    }
    if (named) return *named;
    return resolve_path(source_path_, leaf).value_or(std::string());
  }

 private:
  std::string_view source_path_;
  const FileProbe& exists_;
};

}  // namespace

constinit const process::Role kFbxReader{.argument = "--read-fbx", .serve = serve};

Result<Imported> import_fbx(std::string_view source_path, const Bytes& file, const FileProbe& exists,
                            const process::Limits& limits) {
  ASSETC_CHECK(check_header(file));
  ASSETC_TRY(Imported imported, read_isolated(without_mark(file), limits));
  const ImageFinder finder(source_path, exists);
  for (scene::ImageSource& image : imported.scene.images) {
    if (!image.path.empty()) image.path = finder.find(image.path, imported.warnings);
  }
  link_levels_by_name(imported.scene);
  return imported;
}

std::uint64_t usual_fbx_bytes(std::uint64_t file_bytes) {
  constexpr std::uint64_t kLeastBytes = 256u << 20, kFactor = 48;
  return std::clamp(file_bytes * kFactor, kLeastBytes, kFbxLimits.memory_bytes);
}

}  // namespace assetc::importer
