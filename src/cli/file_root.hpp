// A file named on the command line as importers want it: by its absolute path, so that what it refers to is found
// wherever the command runs.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "import/source.hpp"

namespace assetc::cli {

struct NamedFile {
  std::string path;   // absolute, its folder without links
  std::string named;  // as the user named it
  std::string here;   // the working directory, absolute

  // An error of a reader, whose files are absolute paths, in the user's words: relative to the working directory
  // where the file was named so.
  Error as_named(Error error) const;
};
NamedFile name_file(const std::string& file, engine::Disk& disk);

// Whether two files lie in one folder and are called alike before their extension.
bool same_stem(const NamedFile& a, const NamedFile& b);

// Reads files as they are named. A pointer of Git LFS in a file's place is an error.
importer::FileReader file_reader(engine::Disk& disk);

}  // namespace assetc::cli
