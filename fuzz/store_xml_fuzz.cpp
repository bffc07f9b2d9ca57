// The answers of object stores, and files with keys for them.
#include "engine/remote/answers.hpp"
#include "engine/remote/aws.hpp"
#include "engine/remote/listing.hpp"
#include "engine/remote/xml.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;

void check_xml(std::string_view text) {
  std::size_t text_bytes = 0;
  const auto read = engine::read_xml(text, [&](std::string_view path, const std::string& value) {
    fuzz::require(!path.empty() && path.size() < text.size());
    text_bytes += value.size();
  });
  if (read) fuzz::require(text_bytes < text.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan bytes = fuzz::bytes(data, size);
  check_xml(as_text(bytes));
  const std::string code = engine::store_error(bytes);
  fuzz::require(code.empty() || engine::is_store_error(code));
  const auto listing = engine::parse_listing(as_text(bytes));
  if (listing) {
    for (const engine::ListedObject& object : listing->objects) fuzz::require(!object.name.empty());
  }
  const auto keys = engine::parse_aws_keys(as_text(bytes), "default");
  if (keys) fuzz::require(!keys->empty() && !keys->secret_key.empty());
  return 0;
}
