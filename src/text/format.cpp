#include "text/format.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

namespace assetc {

std::string format_all(std::string_view pattern, std::span<const FormatArgument> arguments) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const FormatArgument& argument : arguments) {
    switch (argument.kind) {
      case FormatArgument::Kind::kSigned:
        store.push_back(argument.signed_integer);
        break;
      case FormatArgument::Kind::kUnsigned:
        store.push_back(argument.unsigned_integer);
        break;
      case FormatArgument::Kind::kFloat:  // its shortest text is not that of the same double
        store.push_back(static_cast<float>(argument.number));
        break;
      case FormatArgument::Kind::kDouble:
        store.push_back(argument.number);
        break;
      case FormatArgument::Kind::kText:
        store.push_back(std::cref(argument.text));
        break;
    }
  }
  return fmt::vformat(pattern, store);
}

}  // namespace assetc
