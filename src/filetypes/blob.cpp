// .bin: a cooked asset.
#include "assetc/formats/aas1_describe.hpp"
#include "filetypes/readers.hpp"
#include "text/format.hpp"

namespace assetc::filetypes {
namespace {

Result<FileContent> inspect_blob(ByteSpan file) {
  ASSETC_TRY(aas1::Description description, aas1::describe(file));
  Facts desc;
  for (aas1::DescriptionField& field : description.fields) {
    std::string text = formatted("{} {}", field.name, field.json);
    desc.add(std::string(field.name), RawJson{std::move(field.json)}, std::move(text));
  }
  Facts facts;
  facts.add("type", std::string(description.type),
            formatted("{}{}", description.type, desc.items().empty() ? "" : ":"));
  std::string text = desc.text();
  return facts.add("desc", std::move(desc), std::move(text));
}

Result<void> open_blob(ByteSpan file) {
  const auto description = aas1::describe(file);
  if (!description) return std::unexpected(description.error());
  return {};
}

}  // namespace

constinit const Reader kAas1Reader{.open = open_blob, .inspect = inspect_blob};

}  // namespace assetc::filetypes
