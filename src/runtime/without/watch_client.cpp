#include "assetc/runtime/watch_client.hpp"

namespace assetc::runtime {

class WatchClient::Impl {};

WatchClient::WatchClient(const std::string&, std::function<void(const Changes&)>) {}
WatchClient::~WatchClient() = default;
bool WatchClient::is_connected() const { return false; }

}  // namespace assetc::runtime
