// .bin: a cooked asset.
#include "assetc/formats/aas1_describe.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

Result<FileContent> inspect_blob(ByteSpan file) {
  ASSETC_TRY(aas1::Description description, aas1::describe(file));
  BlobInfo info{.type = std::string(description.type), .fields = {}};
  for (aas1::DescriptionField& field : description.fields)
    info.fields.push_back({std::string(field.name), std::move(field.json)});
  return info;
}

Result<void> open_blob(ByteSpan file) {
  const auto description = aas1::describe(file);
  if (!description) return std::unexpected(description.error());
  return {};
}

}  // namespace

constinit const Reader kAas1Reader{.open = open_blob, .inspect = inspect_blob};

}  // namespace assetc::filetypes
