// A file named on the command line as importers want it: a root that its references may not leave, and a path below.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "import/source.hpp"

namespace assetc::cli {

struct RootedFile {
  std::string root;  // the working directory where the file lies below it, else the file's own folder
  std::string path;

  // An error of a reader, whose files are paths below the root, as the user named the file.
  Error as_named(Error error) const;
};
RootedFile rooted(const std::string& file);

// Reads below a root. References that climb out have been refused before they come here.
importer::FileReader reader_below(const std::string& root, engine::Disk& disk);

}  // namespace assetc::cli
