#include "import/model/named_files.hpp"

#include <gmock/gmock.h>

#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using testing::bytes_of;
using ::testing::ElementsAre;
using testing::files;
using ::testing::IsEmpty;

std::vector<std::string> names(const std::string& path, const std::string& text, const FileReader& read = files()) {
  return named_files(path, [&](std::size_t) { return Result<Bytes>(bytes_of(text)); }, read);
}

std::string glb(const std::string& json) {
  const auto word = [](std::size_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> 8 * i & 255);
    return bytes;
  };
  return "glTF" + word(2) + word(20 + json.size()) + word(json.size()) + "JSON" + json;
}

TEST(NamedFiles, of_a_gltf_are_its_buffers_and_images) {
  const std::string json =
      R"({"buffers":[{"uri":"a.bin"},{"uri":"data:application/octet-stream;base64,AA=="},{}],)"
      R"("images":[{"uri":"..\/textures\/b%20c.png"},{"bufferView":0},{"uri":"a.bin"},{"uri":"http://x/y.png"},7]})";
  EXPECT_THAT(names("models/m.gltf", json), ElementsAre("models/a.bin", "textures/b c.png"));
  EXPECT_THAT(names("models/m.glb", glb(json)), ElementsAre("models/a.bin", "textures/b c.png"));
  EXPECT_THAT(names("m.gltf", R"({"images":[{"uri":"../out.png"}]})"), IsEmpty());
}

TEST(NamedFiles, of_an_obj_are_the_pictures_of_its_libraries) {
  const auto read = files({{"models/a.mtl", "newmtl x\nmap_Kd -s 2 2 wood.png\nmap_Bump ../n.png\n"}});
  EXPECT_THAT(names("models/m.obj", "v 0 0 0\nmtllib a.mtl\nmtllib gone.mtl\nf 1 1 1\n", read),
              ElementsAre("models/wood.png", "n.png"));
}

TEST(NamedFiles, of_what_cannot_be_read_are_none) {
  for (const char* text : {"", "{", "[]", "{\"images\":7}", "glTF", "glTF\2\0\0\0"})
    EXPECT_THAT(names("m.gltf", text), IsEmpty()) << text;
  std::string cut = glb("{\"images\":[]}");
  cut.resize(cut.size() - 4);
  EXPECT_THAT(names("m.glb", cut), IsEmpty());
  EXPECT_THAT(names("m.fbx", "whatever"), IsEmpty());
  EXPECT_THAT(
      named_files("m.gltf", [](std::size_t) { return fail(ErrorCode::kNotFound, "gone"); }, files()), IsEmpty());
}

// The head of a long document is incomplete; the reader requests as many bytes as its JSON has.
TEST(NamedFiles, of_a_long_json_are_all) {
  const std::string json = "{\"extras\":\"" + std::string(100'000, 'x') + "\",\"images\":[{\"uri\":\"a.png\"}]}";
  for (const std::string& file : {json, glb(json)}) {
    EXPECT_THAT(named_files(
                    "m.gltf",
                    [&](std::size_t size) {
                      std::string part = file.substr(0, size);
                      part.resize(file.size());
                      return Result<Bytes>(bytes_of(part));
                    },
                    files()),
                ElementsAre("a.png"));
  }
}

TEST(NamedFiles, of_an_obj_with_a_byte_order_mark_are_found) {
  const auto read = files({{"a.mtl", "newmtl x\nmap_Kd wood.png\n"}});
  EXPECT_THAT(names("m.obj", "\xEF\xBB\xBFmtllib a.mtl\r\nv 0 0 0\r\n", read), ElementsAre("wood.png"));
}

}  // namespace
}  // namespace assetc::importer
