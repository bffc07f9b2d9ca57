// Imports of sources that lack something, or that version control has not brought whole.
#include "engine/import_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Import, a_part_that_one_export_lacks_keeps_its_uuid) {
  disk.put("repo/Assets/chair.obj", kTwo);
  import();
  const std::string before = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/chair.obj", kTriangle);
  const ImportReport without = import();
  EXPECT_THAT(without.changes, IsEmpty());
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_THAT(without.notes[0].what.to_string(),
              HasSubstr("Assets/chair.obj: lacks 1 part that its .meta lists: Mesh \"Back\"; it keeps its UUID"));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), before) << "nothing is written at a loss";
  disk.put("repo/Assets/chair.obj", kTwo);
  EXPECT_THAT(import().changes, IsEmpty());
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), before);
  // The person confirms.
  disk.put("repo/Assets/chair.obj", kTriangle);
  options.prune = true;
  EXPECT_EQ(import().changes.size(), 1u);
  EXPECT_EQ(meta("Assets/chair.obj").sub_assets.size(), 1u);
}

TEST_F(Import, a_source_that_lost_every_part_is_an_error) {
  disk.remove_all("repo");
  disk.put("repo/Assets/blur.shader/compute.glsl", "#version 450\nvoid main() {}\n");
  disk.put("repo/Assets/blur.shader/notes.txt", "");
  import();
  const std::string before = disk.text("repo/Assets/blur.shader.meta");
  EXPECT_EQ(meta("Assets/blur.shader").sub_assets.size(), 1u);
  disk.move("repo/Assets/blur.shader/compute.glsl", "repo/compute.glsl");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("/SubAssets: lists 1 part, and Assets/blur.shader has none")));
    EXPECT_EQ(disk.text("repo/Assets/blur.shader.meta"), before);
  }
  disk.move("repo/compute.glsl", "repo/Assets/blur.shader/compute.glsl");
  EXPECT_THAT(import().changes, IsEmpty());
  disk.erase("repo/Assets/blur.shader/compute.glsl");
  options.prune = true;
  EXPECT_THAT(errors(import()), IsEmpty());
  EXPECT_TRUE(meta("Assets/blur.shader").sub_assets.empty());
}

TEST_F(Import, an_empty_model_keeps_the_uuids_of_its_parts) {
  disk.put("repo/Assets/chair.obj", kTwo);
  import();
  const std::string before = disk.text("repo/Assets/chair.obj.meta");
  disk.put("repo/Assets/chair.obj", "");
  EXPECT_THAT(errors(import()), ElementsAre(HasSubstr("Assets/chair.obj: ")));
  EXPECT_EQ(disk.text("repo/Assets/chair.obj.meta"), before);
  disk.put("repo/Assets/chair.obj", kTwo);
  EXPECT_THAT(import().changes, IsEmpty());
}

TEST_F(Import, knows_what_version_control_leaves_in_place_of_a_file) {
  const std::string pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n";
  const std::string conflict = std::string(kTriangle) + "<<<<<<< ours\nf 1 2 3\n=======\nf 1 3 2\n>>>>>>> theirs\n";
  disk.remove_all("repo");
  std::vector<std::string> names{"a.png", "b.wav", "c.fbx", "d.glb", "e.obj", "f.json", "g.ttf", "h.lua"};
  for (const std::string& name : names) disk.put("repo/Assets/" + name, pointer);
  disk.put("repo/Assets/j.obj", conflict);
  disk.put("repo/Assets/k.obj", std::string("mtllib k.mtl\n") + kTriangle);
  disk.put("repo/Assets/k.mtl", pointer);
  disk.put("repo/Assets/l.obj", std::string("mtllib l.mtl\n") + kTriangle);
  disk.put("repo/Assets/l.mtl", "newmtl a\n<<<<<<< HEAD\nKd 1 0 0\n=======\nKd 0 1 0\n>>>>>>> b\n");
  const ImportReport report = import();
  EXPECT_THAT(report.changes, IsEmpty());
  ASSERT_EQ(report.errors.size(), names.size() + 3);
  for (std::size_t i = 0; i < names.size(); ++i)
    EXPECT_THAT(report.errors[i].to_string(), HasSubstr(names[i] + ": is a pointer of Git LFS, not the file itself"));
  EXPECT_THAT(report.errors[8].to_string(), HasSubstr("j.obj: line 6: found git's conflict markers; resolve"));
  EXPECT_THAT(report.errors[9].to_string(), HasSubstr("k.mtl: is a pointer of Git LFS"));
  EXPECT_THAT(report.errors[10].to_string(), HasSubstr("l.mtl: line 2: found git's conflict markers"));
}

}  // namespace
}  // namespace assetc::engine
