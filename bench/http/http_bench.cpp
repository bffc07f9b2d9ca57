// Reads 1,000 assets of 1 to 32 KiB from one file: over HTTP on this machine, with and without joined requests, and
// from the local disk. All reads are submitted at once, in a random order.
//   http_bench FOLDER   (an empty folder for the file)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "assetc/http/source.hpp"
#include "engine/http/server.hpp"

namespace {

using namespace assetc;

struct Asset {
  std::uint64_t offset_bytes, size_bytes;
};

void read_all(runtime::Source& source, const std::vector<Asset>& assets) {
  runtime::Completions completions;
  for (const Asset& asset : assets)
    source.submit({.path = "pack", .offset_bytes = asset.offset_bytes, .size_bytes = asset.size_bytes}, completions);
  for (std::size_t i = 0; i < assets.size(); ++i) {
    const runtime::Completion done = completions.wait();
    if (done.answer) continue;
    fmt::print(stderr, "{}\n", done.answer.error().to_string());
    std::exit(1);
  }
}

template <class Open>
void measure(const char* name, const std::vector<Asset>& assets, const Open& open) {
  std::vector<double> times;
  std::uint64_t requests = 0;
  for (int run = 0; run < 5; ++run) {
    const auto source = open();
    const auto start = std::chrono::steady_clock::now();
    read_all(*source, assets);
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
    if (const auto* http = dynamic_cast<const http::Source*>(source.get())) requests = http->stats().requests;
  }
  std::ranges::sort(times);
  fmt::print("{:<12} {:>5} requests  {:>7.1f} ms (fastest {:.1f}, slowest {:.1f})\n", name, requests, times[2],
             times[0], times[4]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::mt19937 random(7);
  std::vector<Asset> assets;
  std::uint64_t at = 4096;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t size = 1024 + random() % (31 << 10);
    assets.push_back({at, size});
    at += (size + 15) / 16 * 16;
  }
  std::string content(at, '\0');
  for (char& c : content) c = static_cast<char>(random());
  std::ofstream(std::string(argv[1]) + "/pack", std::ios::binary) << content;
  std::ranges::shuffle(assets, random);
  const Bytes bytes(ByteVector(as_bytes(content).begin(), as_bytes(content).end()));
  auto server = engine::HttpServer::open({}, [&](const engine::HttpRequest&) {
    engine::HttpAnswer answer = engine::answer_of("application/octet-stream", bytes);
    answer.etag = "\"1\"";
    return answer;
  });
  if (!server) return 1;
  std::thread thread([&] { (*server)->run(); });
  const std::string url = "http://127.0.0.1:" + std::to_string((*server)->port());
  fmt::print("{} assets, {:.1f} MiB\n", assets.size(), static_cast<double>(at) / (1 << 20));
  measure("joined", assets, [&]() -> std::shared_ptr<runtime::Source> { return *http::Source::open({.url = url}); });
  measure("not joined", assets, [&]() -> std::shared_ptr<runtime::Source> {
    return *http::Source::open({.url = url, .max_joined_bytes = 0});
  });
  measure("local file", assets,
          [&]() -> std::shared_ptr<runtime::Source> { return runtime::make_file_source(argv[1]); });
  (*server)->stop();
  thread.join();
  return 0;
}
