// Any bytes as a session file: an error, or a session that goes on.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "engine/session.h"
#include "model/tiny_model.h"

namespace {

// A file without a name on any disk. Returns its path.
std::string in_memory_file(int fd, const uint8_t* data, size_t size) {
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) std::abort();
  return "/proc/self/fd/" + std::to_string(fd);
}

hb::Session new_session(int fd) {
  const std::vector<uint8_t> bytes = hb::test::make_tiny_model(
      {.hidden = 32, .ffn = 32, .layers = 1, .heads = 2, .kv_heads = 1, .head_dim = 16});
  auto backend = hb::make_cpu_backend({});
  auto model = hb::Model::load(in_memory_file(fd, bytes.data(), bytes.size()), std::move(*backend));
  return std::move(*hb::Session::create(*model, {.context = 16}));
}

// Makes the hash at the end right, so that the fuzzer meets what lies behind that check.
void seal(std::vector<uint8_t>& bytes) {
  if (bytes.size() < 8) return;
  uint64_t hash = 14695981039346656037ull;
  for (size_t i = 0; i + 8 < bytes.size(); ++i) hash = (hash ^ bytes[i]) * 1099511628211ull;
  std::memcpy(&bytes[bytes.size() - 8], &hash, 8);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int model_fd = ::memfd_create("model", 0);
  static const int session_fd = ::memfd_create("session", 0);
  static hb::Session session = new_session(model_fd);
  std::vector<uint8_t> bytes(data, data + size);
  if (size % 2 == 0) seal(bytes);
  const std::string path = in_memory_file(session_fd, bytes.data(), bytes.size());
  if (session.load(path) && !session.is_full()) {
    const int32_t token = 1;
    if (!session.append({&token, 1})) std::abort();
  }
  return 0;
}
