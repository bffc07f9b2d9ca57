// Opens and closes the stores of a command that builds no project, and prints their messages.
#pragma once

#include "cli/commands/commands.hpp"
#include "engine/remote/stores.hpp"

namespace assetc::cli {

// Prints how many uploads are left: every second on a terminal, every five in a log.
class UploadLines {
 public:
  UploadLines(const Arguments& arguments, Console& console) : arguments_(arguments), console_(console) {}
  ~UploadLines();
  UploadLines(const UploadLines&) = delete;

  // Call it once a second.
  void tell(std::size_t uploads);

 private:
  const Arguments& arguments_;
  Console& console_;
  bool redraws_ = false;
  int seconds_ = 0;
};

// Opens the stores that the project and the command line ask for; a dry run has none. All arguments must outlive them.
engine::Stores open_stores(const Arguments& arguments, Console& console, engine::Disk& disk,
                           const engine::CacheSettings& project);

// Stores::finish(), with UploadLines.
void finish_stores(const Arguments& arguments, Console& console, engine::Stores& stores);

}  // namespace assetc::cli
