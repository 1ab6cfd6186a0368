// Session::save and Session::load. The file, little-endian:
//   "HBSESS01", u64 model fingerprint, u32 tokens, u32 vocabulary (0: no logits), u64 cache values a token,
//   tokens (i32), logits (f32), cache rows (f16, canonical form of backend.h), u64 FNV-1a of everything
//   before it.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/mapped_file.h"
#include "base/memory_errors.h"
#include "base/new_file.h"
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

constexpr uint64_t kFnvStart = 14695981039346656037ull;

uint64_t fnv(std::span<const uint8_t> bytes, uint64_t hash = kFnvStart) {
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
std::span<const uint8_t> bytes_of(std::span<const T> values) {
  return {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()};
}

// A new session file, which ends with the hash of everything before it.
class SessionWriter {
 public:
  static Result<SessionWriter> create(const std::string& path) {
    HB_ASSIGN(auto file, NewFile::create(path));
    return SessionWriter(std::move(file));
  }

  Status write(std::span<const uint8_t> bytes) {
    hash_ = fnv(bytes, hash_);
    return file_->write(bytes);
  }

  Status finish() {
    HB_TRY(file_->write(bytes_of(std::span<const uint64_t>(&hash_, 1))));
    return file_->finish();
  }

 private:
  explicit SessionWriter(std::unique_ptr<NewFile> file) : file_(std::move(file)) {}

  std::unique_ptr<NewFile> file_;
  uint64_t hash_ = kFnvStart;
};

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

// The contract refuses NaN and infinity wherever they come from.
bool all_finite(std::span<const uint16_t> halves) {
  return std::ranges::none_of(halves, [](uint16_t bits) { return (bits & 0x7c00) == 0x7c00; });
}
bool all_finite(std::span<const float> floats) {
  return std::ranges::all_of(floats, [](float x) { return x - x == 0.0f; });
}

// What lies between header and hash. BORROWS the file's bytes, in which all three are aligned.
struct Parts {
  std::span<const int32_t> tokens;
  std::span<const float> logits;
  std::span<const uint16_t> cache;

  Parts(std::span<const uint8_t> bytes, const Header& header) {
    const uint8_t* at = bytes.data() + sizeof(Header);
    tokens = {reinterpret_cast<const int32_t*>(at), header.token_count};
    at += tokens.size_bytes();
    logits = {reinterpret_cast<const float*>(at), header.vocab};
    at += logits.size_bytes();
    cache = {reinterpret_cast<const uint16_t*>(at), header.token_count * header.cache_row_elems};
  }
};

}  // namespace

Status Session::save(const std::string& path) const {
  return without_bad_alloc("the session's file", [&] { return save_parts(path); });
}

Status Session::load(const std::string& path) {
  return without_bad_alloc("the session", [&] { return load_parts(path); });
}

Status Session::save_parts(const std::string& path) const {
  const auto count = static_cast<uint32_t>(tokens_.size());
  Header header = {};
  std::memcpy(header.magic, kMagic, 8);
  header.fingerprint = fingerprint(model_->plan());
  header.token_count = count;
  header.vocab = static_cast<uint32_t>(logits_.size());
  header.cache_row_elems = cache_row_elems(model_->plan());
  HB_ASSIGN(const std::vector<uint16_t> cache, context_->read_cache(0, count));
  HB_ASSIGN(SessionWriter file, SessionWriter::create(path));
  HB_TRY(file.write(bytes_of(std::span<const Header>(&header, 1))));
  HB_TRY(file.write(bytes_of(std::span<const int32_t>(tokens_))));
  HB_TRY(file.write(bytes_of(logits_)));
  HB_TRY(file.write(bytes_of(std::span<const uint16_t>(cache))));
  return file.finish();
}

Status Session::load_parts(const std::string& path) {
  HB_ASSIGN(const std::unique_ptr<MappedFile> file, MappedFile::open(path));
  const auto header = read_header(path, file->bytes(), model_->plan());
  HB_TRY(file->intact());
  if (!header) return std::unexpected(header.error());
  if (header->token_count > context()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("session '{}' holds {} tokens, the context only {}; use a larger context", path,
                            header->token_count, context()));
  }
  const Parts parts(file->bytes(), *header);
  if (const Status status = check(parts.tokens); !status)
    return fail(ErrorCode::kBadFile, status.error().within(path).message);
  if (!all_finite(parts.logits) || !all_finite(parts.cache)) {
    return fail(ErrorCode::kBadFile,
                fmt::format("'{}' is no usable session: it holds values that are not finite", path));
  }
  std::vector<float> logits(parts.logits.begin(), parts.logits.end());
  HB_TRY(context_->write_cache(0, header->token_count, parts.cache));
  tokens_.assign(parts.tokens.begin(), parts.tokens.end());  // there is room for a whole context
  loaded_logits_ = std::move(logits);
  logits_ = loaded_logits_;
  if (const Status intact = file->intact(); !intact) {
    truncate(0);
    return intact;
  }
  return {};
}

}  // namespace hb
