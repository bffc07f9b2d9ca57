// The process that compiles shaders: isolation.cpp starts it.
#include "assetc/base/bytes.hpp"
#include "os/machine.hpp"
#include "os/process.hpp"
#include "shader/compiler_protocol.hpp"
#include "shader/compilers.hpp"
#include "shader/isolation.hpp"
#include "shader/toolchain.hpp"

namespace assetc::shader {
namespace {

using process::kNever;
using process::MessageReader;
using process::MessageWriter;
using process::receive_message;
using process::send_message;

MessageWriter answer_of(const Result<Compiled>& compiled, Language language) {
  MessageWriter answer;
  answer.number(Tag::kCompiled);
  answer.number(std::uint8_t{compiled.has_value()});
  if (!compiled) return std::move(answer.error(compiled.error()));
  answer.blob(language == Language::kSpirv ? ByteSpan() : ByteSpan(compiled->spirv));  // the parent has these
  answer.number(static_cast<std::uint32_t>(compiled->warnings.size()));
  for (const Error& warning : compiled->warnings) answer.error(warning);
  return answer;
}

// Serves requests until the socket closes.
int serve(int socket) {
  const std::uint64_t started_bytes = process::prepare_to_serve();
  ByteVector message;
  while (receive_message(socket, message, kNever, kMaxMessageBytes)) {
    MessageReader job(message);
    if (job.number<Tag>() != Tag::kJob) return 1;
    if (const std::string asked = job.text(); asked != build()) {
      const MessageWriter answer = answer_of(fail(ErrorCode::kUnsupported, "the shader compiler is of another assetc",
                                                  "install assetc and assetc-shaders from one package"),
                                             Language::kGlsl);
      return send_message(socket, answer.bytes(), kNever, kMaxMessageBytes) ? 0 : 1;
    }
    const auto options = job.number<Options>();
    const auto limits = job.number<ProcessLimits>();
    const std::string path = job.text();
    const ByteSpan source = job.blob();
    if (!job.ok()) return 1;
    process::limit_source(limits, started_bytes);

    const ReadFile read = [socket](std::string_view file) -> Result<Bytes> {
      ByteVector answer;
      if (!send_message(socket, MessageWriter().number(Tag::kRead).text(file).bytes(), kNever, kMaxMessageBytes) ||
          !receive_message(socket, answer, kNever, kMaxMessageBytes)) {
        os::exit_now(1);
      }
      MessageReader reader(answer);
      if (reader.number<Tag>() != Tag::kFile) os::exit_now(1);
      if (reader.number<std::uint8_t>() == 0) return std::unexpected(reader.error());
      const ByteSpan bytes = reader.blob();
      return Bytes(ByteVector(bytes.begin(), bytes.end()));
    };
    const MessageWriter answer = answer_of(compile_here(path, source, options, read), options.language);
    if (!send_message(socket, answer.bytes(), kNever, kMaxMessageBytes)) return 1;
    os::trim_heap();  // a waiting process has no memory reservation
  }
  return 0;
}

}  // namespace

constinit const process::Role kShaderCompiler{.argument = kCompileShaders, .serve = serve};

}  // namespace assetc::shader
