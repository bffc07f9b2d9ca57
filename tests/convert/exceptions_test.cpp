// An exception of a library becomes an error of the file.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "convert/support.hpp"

namespace assetc::convert {
namespace {

std::string error_of(const importer::FileReader& read, const std::string& input, const std::string& output) {
  const auto converted = convert_file(input, output, read, {});
  return converted ? "" : converted.error().to_string();
}

TEST(Exceptions, become_errors_with_the_file) {
  const importer::FileReader no_memory = [](std::string_view) -> Result<Bytes> { throw std::bad_alloc(); };
  const importer::FileReader fault = [](std::string_view) -> Result<Bytes> { throw std::runtime_error("bang"); };
  for (const auto& [input, output] :
       {std::pair("a.glb", "b.glb"), std::pair("a.glb", "b.hmesh"), std::pair("a.hmesh", "b.gali"),
        std::pair("a.png", "b.ktx2"), std::pair("a.ktx2", "b.png")}) {
    EXPECT_EQ(error_of(no_memory, input, output),
              std::string(input) + ": not enough memory to compile this; close other programs");
    EXPECT_EQ(
        error_of(fault, input, output),
        std::string(input) + ": the conversion threw: bang; this is a fault in assetc; please report it with the file");
  }
}

}  // namespace
}  // namespace assetc::convert
