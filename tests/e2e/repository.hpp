// A project in a git repository.
#pragma once

#include <cstdlib>
#include <string>

#include "e2e/project.hpp"

namespace assetc::e2e {

class Repository : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    git("init -q -b main");
    git("config user.name Tester");
    git("config user.email tester@example.invalid");
    write(".gitignore", "build/\nstdout.txt\nstderr.txt\ngit.log\nchanged.txt\n");
    commit();
  }
  void git(const std::string& arguments) const {
    const std::string command = "cd '" + root_.string() + "' && git " + arguments + " > git.log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << "git " << arguments << "\n" << read("git.log");
    remove("git.log");
  }
  void commit() const {
    git("add -A");
    git("commit -q --allow-empty -m change");
  }
  void move(const std::string& from, const std::string& to) const {
    fs::create_directories((root_ / to).parent_path());
    fs::rename(root_ / from, root_ / to);
  }
  void copy(const std::string& from, const std::string& to) const {
    fs::create_directories((root_ / to).parent_path());
    fs::copy_file(root_ / from, root_ / to);
  }
  std::string import(const std::string& arguments = {}) {
    const Finished done = run("import " + arguments);
    EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
    return done.out;
  }
  std::string member(const std::string& source, const std::string& key) const {
    const std::string text = read(source + ".meta");
    const std::string start = "\"" + key + "\": \"";
    const std::size_t at = text.find(start);
    return at == std::string::npos
               ? std::string()
               : text.substr(at + start.size(), text.find('"', at + start.size()) - at - start.size());
  }
  std::string uuid(const std::string& source) const { return member(source, "Uuid"); }
  // A triangle that differs for each number.
  static std::string triangle(std::uint32_t number) {
    return "o Part\nv 0 0 " + std::to_string(number) + "\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
  }
};

}  // namespace assetc::e2e
