// Content of the example that is not in the demo: cooked folders in memory, behind a source of the engine.
#pragma once

#include <assetc/base/bytes.hpp>
#include <assetc/runtime/source.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace example {

// Stands for a server of downloaded content that is busy: each file in Assets/ can be read at the second try.
// Thread safety: all functions, from any thread. Must outlive its sources.
class Server {
 public:
  void put(const std::string& path, assetc::ByteVector file);
  // The manager repeats failed reads of the source: at most three times, after 1, 2 and 4 ms.
  std::shared_ptr<assetc::runtime::Source> source();
  std::size_t failed_read_count() const;

 private:
  assetc::Result<assetc::runtime::ReadAnswer> read(const assetc::runtime::ReadRequest& request);

  mutable std::mutex mutex_;
  std::map<std::string, assetc::Bytes> files_;
  std::set<std::string> failed_;
};

// A texture of one color.
struct Picture {
  std::string virtual_path;
  std::uint32_t rgb = 0;  // 0xff8000 is orange
  std::vector<std::string> tags{};
};

// Writes a cooked folder.
void put_cooked(Server& server, const std::string& folder, std::span<const Picture> pictures);

// Writes the file of a picture in a cooked folder again, as another build does.
void put_picture(Server& server, const std::string& folder, const Picture& picture);

// Returns the path of the file of a picture in its cooked folder.
std::string file_of(const std::string& folder, const std::string& virtual_path);

}  // namespace example
