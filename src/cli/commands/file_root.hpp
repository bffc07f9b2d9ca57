// Resolves a file of the command line to its absolute path, as importers need it: the files that it refers to are then
// found from any working directory.
#pragma once

#include <string>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "import/model/source.hpp"

namespace assetc::cli {

struct NamedFile {
  std::string path;   // absolute; links in its folder are resolved
  std::string named;  // as the user named it
  std::string here;   // the working directory, absolute

  // Rewrites the absolute paths in an error of a reader as the user wrote them: relative to the working directory if
  // the file was given by a relative path.
  Error as_named(Error error) const;
};
NamedFile name_file(const std::string& file, engine::Disk& disk);

// Whether two files have the same folder and the same name before the extension.
bool same_stem(const NamedFile& a, const NamedFile& b);

// The folder in which all files that a file refers to have to lie (engine/disk/root.hpp): the one that --root names, or
// else the nearest one above the file that has an assetc.yml, of a compiled file a manifest, or else that of the file.
// Error: kUsage if `asked`,
// the value of --root, does not hold the file.
Result<std::string> root_of(const NamedFile& file, const std::string& asked, engine::Disk& disk);

// Reads files by path, if they are below the root; empty: any files. If a file is a Git LFS pointer instead of its
// content, that is an error.
importer::FileReader file_reader(engine::Disk& disk, std::string root = {});

}  // namespace assetc::cli
