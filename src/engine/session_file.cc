// Session::save and Session::load. The file, little-endian:
//   "HBSESS01", u64 model fingerprint, u32 tokens, u32 vocabulary (0: no logits), u64 cache values a token,
//   tokens (i32), logits (f32), cache rows (f16, canonical form of backend.h), u64 FNV-1a of everything
//   before it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/session.h"

namespace hb {
namespace {

constexpr char kMagic[8] = {'H', 'B', 'S', 'E', 'S', 'S', '0', '1'};

struct Header {
  char magic[8];
  uint64_t fingerprint;
  uint32_t token_count;
  uint32_t vocab;
  uint64_t cache_row_elems;
};

uint64_t fnv(std::span<const uint8_t> bytes, uint64_t hash = 14695981039346656037ull) {
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 1099511628211ull;
  return hash;
}

// Tells models apart by what their plans do and how their weights are stored; the weights' values are not
// read.
uint64_t fingerprint(const Plan& plan) {
  const std::string text = to_string(plan);
  return fnv({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
}

uint64_t cache_row_elems(const Plan& plan) {
  uint64_t elems = 0;
  for (const CacheLayer& layer : plan.cache_layers) elems += uint64_t{2} * layer.kv_heads * layer.head_dim;
  return elems;
}

template <class T>
void append_bytes(std::vector<uint8_t>& out, const T* values, size_t count) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(values);
  out.insert(out.end(), bytes, bytes + count * sizeof(T));
}

Status write_whole(const std::string& path, const std::vector<uint8_t>& bytes) {
  const std::string temporary = fmt::format("{}.{}.part", path, ::getpid());
  std::ofstream out(temporary, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  out.close();
  std::error_code error;
  if (out) std::filesystem::rename(temporary, path, error);
  if (out && !error) return {};
  std::filesystem::remove(temporary, error);
  return fail(ErrorCode::kIo,
              fmt::format("cannot write the session to '{}': {}", path, std::strerror(errno)));
}

Result<std::vector<uint8_t>> read_whole(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    return fail(ErrorCode::kNotFound,
                fmt::format("cannot open session '{}': {}", path, std::strerror(errno)));
  std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad()) return fail(ErrorCode::kIo, fmt::format("cannot read session '{}'", path));
  return bytes;
}

Result<Header> read_header(const std::string& path, std::span<const uint8_t> bytes, const Plan& plan) {
  Header header;
  const auto bad = [&path](const char* what) {
    return fail(ErrorCode::kBadFile, fmt::format("'{}' is no usable session: {}", path, what));
  };
  if (bytes.size() < sizeof(Header) + 8) return bad("it is too short");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (std::memcmp(header.magic, kMagic, 8) != 0) return bad("it does not begin with HBSESS01");
  uint64_t stored;
  std::memcpy(&stored, bytes.data() + bytes.size() - 8, 8);
  if (stored != fnv(bytes.first(bytes.size() - 8)))
    return bad("its checksum is wrong; it was cut or changed");
  if (header.fingerprint != fingerprint(plan)) return bad("it belongs to another model");
  const bool sane = (header.vocab == 0 || header.vocab == plan.vocab_size) &&
                    header.cache_row_elems == cache_row_elems(plan);
  const uint64_t size = sizeof(Header) + 8 + uint64_t{header.token_count} * (4 + 2 * header.cache_row_elems) +
                        uint64_t{header.vocab} * 4;
  if (!sane || size != bytes.size()) return bad("its sizes do not agree");
  return header;
}

}  // namespace

Status Session::save(const std::string& path) const {
  const auto count = static_cast<uint32_t>(tokens_.size());
  HB_ASSIGN(const std::vector<uint16_t> cache, context_->read_cache(0, count));
  Header header = {};
  std::memcpy(header.magic, kMagic, 8);
  header.fingerprint = fingerprint(model_->plan());
  header.token_count = count;
  header.vocab = static_cast<uint32_t>(logits_.size());
  header.cache_row_elems = cache_row_elems(model_->plan());
  std::vector<uint8_t> bytes;
  append_bytes(bytes, &header, 1);
  append_bytes(bytes, tokens_.data(), tokens_.size());
  append_bytes(bytes, logits_.data(), logits_.size());
  append_bytes(bytes, cache.data(), cache.size());
  const uint64_t checksum = fnv(bytes);
  append_bytes(bytes, &checksum, 1);
  return write_whole(path, bytes);
}

Status Session::load(const std::string& path) {
  HB_ASSIGN(const std::vector<uint8_t> bytes, read_whole(path));
  HB_ASSIGN(const Header header, read_header(path, bytes, model_->plan()));
  if (header.token_count > context()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("session '{}' holds {} tokens, the context only {}; use a larger --context", path,
                            header.token_count, context()));
  }
  const uint8_t* at = bytes.data() + sizeof(Header);
  std::vector<int32_t> tokens(header.token_count);
  std::memcpy(tokens.data(), at, tokens.size() * 4);
  at += tokens.size() * 4;
  HB_TRY(check(tokens));
  std::vector<float> logits(header.vocab);
  std::memcpy(logits.data(), at, logits.size() * 4);
  at += logits.size() * 4;
  std::vector<uint16_t> cache(header.token_count * header.cache_row_elems);
  std::memcpy(cache.data(), at, cache.size() * 2);
  HB_TRY(context_->write_cache(0, header.token_count, cache));
  tokens_ = std::move(tokens);
  loaded_logits_ = std::move(logits);
  logits_ = loaded_logits_;
  return {};
}

}  // namespace hb
