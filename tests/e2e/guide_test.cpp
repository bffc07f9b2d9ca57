// The examples in the guide work exactly as written.
#include <gmock/gmock.h>

#include "e2e/cooked.hpp"
#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

// The contents of every ```language block of a Markdown file.
std::vector<std::string> blocks(const std::string& text, const std::string& language) {
  std::vector<std::string> found;
  const std::string fence = "```" + language + "\n";
  for (std::size_t at = text.find(fence); at != std::string::npos; at = text.find(fence, at)) {
    at += fence.size();
    const std::size_t end = text.find("```", at);
    found.push_back(text.substr(at, end - at));
    at = end;
  }
  return found;
}

class Guide : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    ::setenv("ASSETC_CACHE", (root_ / "store").c_str(), 1);
  }
  std::vector<fs::path> pages() {
    std::vector<fs::path> found{fs::path(places::kSource) / "README.md"};
    for (const auto& entry : fs::directory_iterator(fs::path(places::kSource) / "docs/guide"))
      found.push_back(entry.path());
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(Guide, every_command_works_in_the_order_it_is_shown) {
  std::size_t commands = 0;
  for (const fs::path& page : pages()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
    fs::copy(fs::path(places::kSource) / "examples/demo/assets", root_ / "assets", fs::copy_options::recursive);
    if (page.filename() == "fonts.md") {
      write("assets/fonts/ui.ttf", read_file(std::string(places::kSource) + "/tests/data/corpus/fonts/blocks.ttf"));
    }
    if (page.filename() == "bundles.md") {
      write_cooked(root_ / "build/Cooked/Win64", sample_assets());
      write("loads.txt", "Demo/Minimal/Chair\nEngine/Textures/Wood\n");
    }
    for (const std::string& block : blocks(read_file(page), "sh")) {
      for (const std::string& line : lines_after(block, "assetc")) {
        ++commands;
        const Finished done = run(line.substr(0, line.find('#')));
        EXPECT_EQ(done.exit_code, 0) << page.filename() << ": assetc" << line << "\n" << done.err;
      }
    }
  }
  EXPECT_GT(commands, 5u);
}

TEST_F(Guide, every_configuration_is_accepted_without_a_warning) {
  std::size_t configurations = 0;
  write("assets/a.png", png(4, 4, 1));
  for (const fs::path& page : pages()) {
    for (const std::string& block : blocks(read_file(page), "yaml")) {
      const std::string first = block.substr(0, block.find('\n'));
      if (first.ends_with(".mat") || first.ends_with("/config.yml")) continue;  // no configuration of a project
      ++configurations;
      write("assetc.yml", block);
      const Finished done = run("-n");
      EXPECT_EQ(done.exit_code, 0) << page.filename() << "\n" << block;
      // The page is about another project, so its rules may match no source here. Any other message is an error of the
      // page.
      for (const std::string& line : lines_after(done.err, ""))
        EXPECT_TRUE(line.find("matches no source; ") != line.npos) << page.filename() << ": " << line << "\n" << block;
    }
  }
  EXPECT_GT(configurations, 1u);
}

}  // namespace
}  // namespace assetc::e2e
