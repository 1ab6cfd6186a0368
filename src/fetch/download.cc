#include "fetch/download.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string_view>

#include "base/check.h"
#include "fetch/part_file.h"
#include "fetch/response_headers.h"

namespace hb {
namespace {

// Where a .part file came from, kept beside it as "<target>.part.origin".
struct Origin {
  std::string url;
  std::string validator;  // ETag or Last-Modified

  static Origin load(const std::string& path) {
    Origin origin;
    std::ifstream in(path);
    std::getline(in, origin.url);
    std::getline(in, origin.validator);
    return origin;
  }
  // A lost note only costs a restart of the transfer, so a failure to write it is not an error.
  void save(const std::string& path) const { std::ofstream(path) << url << '\n' << validator << '\n'; }
};

// One GET. libcurl calls on_header for each line and on_body for each piece, from within perform().
class Transfer {
 public:
  Transfer(const DownloadRequest& request, PartFile& file)
      : request_(request), file_(file), origin_path_(file.part_path() + ".origin"), curl_(curl_easy_init()) {
    HB_CHECK(curl_ != nullptr);
  }
  ~Transfer() {
    curl_slist_free_all(headers_);
    curl_easy_cleanup(curl_);
  }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  Status perform();
  uint64_t resumed_bytes() const { return resumed_bytes_; }
  const std::string& origin_path() const { return origin_path_; }

 private:
  static size_t on_header(char* data, size_t, size_t size, void* self);
  static size_t on_body(char* data, size_t, size_t size, void* self);
  static int on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t);

  void set_options();
  void ask_for_the_rest();
  Status begin_body();
  Status end(CURLcode code);
  Status describe(CURLcode code) const;
  bool server_has_no_more() const;

  const DownloadRequest& request_;
  PartFile& file_;
  std::string origin_path_;
  CURL* curl_;
  curl_slist* headers_ = nullptr;
  ResponseHeaders response_;
  char curl_words_[CURL_ERROR_SIZE] = "";
  uint64_t offset_ = 0;  // the first byte asked for
  uint64_t resumed_bytes_ = 0;
  bool body_begun_ = false;
  bool cancelled_ = false;
  Status failure_;  // of our own side, inside a callback
};

void Transfer::set_options() {
  const char* protocols = request_.allow_plain_http ? "http,https" : "https";
  curl_easy_setopt(curl_, CURLOPT_URL, request_.url.c_str());
  curl_easy_setopt(curl_, CURLOPT_PROTOCOLS_STR, protocols);
  curl_easy_setopt(curl_, CURLOPT_REDIR_PROTOCOLS_STR, protocols);
  curl_easy_setopt(curl_, CURLOPT_FOLLOWLOCATION, 1L);
  curl_easy_setopt(curl_, CURLOPT_MAXREDIRS, 10L);
  curl_easy_setopt(curl_, CURLOPT_CONNECTTIMEOUT, 30L);
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl_, CURLOPT_LOW_SPEED_TIME, static_cast<long>(request_.stall_seconds));
  curl_easy_setopt(curl_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl_, CURLOPT_USERAGENT, "halfbyte");
  curl_easy_setopt(curl_, CURLOPT_ERRORBUFFER, curl_words_);
  curl_easy_setopt(curl_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  curl_easy_setopt(curl_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(curl_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  curl_easy_setopt(curl_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(curl_, CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(curl_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  curl_easy_setopt(curl_, CURLOPT_XFERINFODATA, this);
}

// Continues only what is known, or will be proven, to be the same content.
void Transfer::ask_for_the_rest() {
  const Origin origin = Origin::load(origin_path_);
  const bool same_url = origin.url == request_.url;
  const bool provable = !request_.sha256.empty() || (same_url && !origin.validator.empty());
  if (file_.size_bytes() == 0 || !provable) return;
  offset_ = file_.size_bytes();
  curl_easy_setopt(curl_, CURLOPT_RANGE, fmt::format("{}-", offset_).c_str());
  if (same_url && !origin.validator.empty()) {
    headers_ = curl_slist_append(headers_, ("If-Range: " + origin.validator).c_str());
    curl_easy_setopt(curl_, CURLOPT_HTTPHEADER, headers_);
  }
}

size_t Transfer::on_header(char* data, size_t, size_t size, void* self) {
  static_cast<Transfer*>(self)->response_.add_line({data, size});
  return size;
}

size_t Transfer::on_body(char* data, size_t, size_t size, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (!transfer.response_.is_success()) return size;  // the page that explains a 404 is not our file
  if (!transfer.body_begun_) transfer.failure_ = transfer.begin_body();
  if (transfer.failure_) {
    transfer.failure_ = transfer.file_.append({reinterpret_cast<const uint8_t*>(data), size});
  }
  return transfer.failure_ ? size : 0;
}

int Transfer::on_progress(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto& transfer = *static_cast<Transfer*>(self);
  const uint64_t total = transfer.response_.full_size_bytes().value_or(0);
  const Progress state{transfer.request_.target, transfer.file_.size_bytes(), total};
  transfer.cancelled_ = !report(transfer.request_.progress, state);
  return transfer.cancelled_ ? 1 : 0;
}

// The status line decides whether the bytes that follow continue the .part file or replace it.
Status Transfer::begin_body() {
  body_begun_ = true;
  const bool continues = response_.status() == 206 && response_.range_begin() == offset_;
  if (!continues && response_.status() == 206) {
    return fail(ErrorCode::kIo,
                fmt::format("{}: the server sent another range than the one asked for", request_.url));
  }
  if (!continues) HB_TRY(file_.restart());
  resumed_bytes_ = file_.size_bytes();
  Origin{request_.url, response_.validator()}.save(origin_path_);
  return {};
}

// 416 for a .part file that is already the whole file: an earlier run died between the last byte and the
// rename.
bool Transfer::server_has_no_more() const {
  return response_.status() == 416 && offset_ > 0 && response_.full_size_bytes() == offset_;
}

Status Transfer::describe(CURLcode code) const {
  if (cancelled_) return fail(ErrorCode::kCancelled, fmt::format("{}: stopped on request", request_.url));
  const std::string words = curl_words_[0] ? curl_words_ : curl_easy_strerror(code);
  const bool malformed = code == CURLE_URL_MALFORMAT || code == CURLE_UNSUPPORTED_PROTOCOL;
  if (malformed) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", request_.url, words));
  const std::string hint = file_.size_bytes() == 0
                               ? "try again later"
                               : fmt::format("{} bytes are kept in '{}'; the same command resumes",
                                             file_.size_bytes(), file_.part_path());
  return fail(ErrorCode::kIo, fmt::format("{}: {}; {}", request_.url, words, hint));
}

Status Transfer::end(CURLcode code) {
  if (!failure_) {
    return fail(failure_.error().code,
                failure_.error().message + "; what was written is kept, the same command resumes");
  }
  if (code != CURLE_OK) return describe(code);
  if (response_.status() == 404 || response_.status() == 410) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: the server has no such file (HTTP {})", request_.url, response_.status()));
  }
  if (server_has_no_more()) {
    resumed_bytes_ = offset_;
    return {};
  }
  if (!response_.is_success()) {
    return fail(ErrorCode::kIo,
                fmt::format("{}: the server answered HTTP {}", request_.url, response_.status()));
  }
  // An empty body never reaches on_body.
  return body_begun_ ? Status{} : begin_body();
}

Status Transfer::perform() {
  set_options();
  ask_for_the_rest();
  return end(curl_easy_perform(curl_));
}

Status check_request(const DownloadRequest& request) {
  if (!request.sha256.empty() && !is_sha256_hex(request.sha256)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("'{}' is no SHA-256: 64 lower-case hex digits are", request.sha256));
  }
  if (request.url.starts_with("http://") && !request.allow_plain_http) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: only https is allowed; plain http must be asked for", request.url));
  }
  return {};
}

}  // namespace

Result<DownloadOutcome> download(const DownloadRequest& request) {
  static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (initialised != CURLE_OK) return fail(ErrorCode::kOutOfMemory, "libcurl cannot start");
  HB_TRY(check_request(request));
  HB_ASSIGN(const auto file, PartFile::open(request.target));
  const auto size_before = file->size_bytes();
  Transfer transfer(request, *file);
  HB_TRY(transfer.perform());
  DownloadOutcome outcome{"", file->size_bytes(), std::min(transfer.resumed_bytes(), size_before)};
  std::error_code ignored;
  std::filesystem::remove(transfer.origin_path(), ignored);
  HB_ASSIGN(outcome.sha256, file->finish(request.sha256));
  return outcome;
}

Result<std::string> file_name_of_url(const std::string& url) {
  std::string_view rest = url;
  rest = rest.substr(0, rest.find_first_of("?#"));
  const auto scheme_end = rest.find("://");
  rest.remove_prefix(scheme_end == rest.npos ? rest.size() : scheme_end + 3);
  const auto slash = rest.rfind('/');
  const std::string name(slash == rest.npos ? "" : rest.substr(slash + 1));
  const bool plain = std::ranges::all_of(
      name, [](unsigned char c) { return std::isalnum(c) || c == '.' || c == '-' || c == '_' || c == '+'; });
  if (!name.empty() && name.front() != '.' && plain) return name;
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}: gives no file name; give one with --output", url));
}

}  // namespace hb
