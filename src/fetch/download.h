// One file from one URL, over https, resumable.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "fetch/progress.h"

namespace hb {

struct DownloadRequest {
  std::string url;     // https://, at most 10 redirects, https again
  std::string target;  // the path of the finished file; "<target>.part" until then
  std::string sha256;  // lower-case hex; empty: any content is accepted
  bool allow_plain_http = false;
  int stall_seconds = 60;  // less than 1 byte/s for so long ends the transfer
  ProgressFn progress;
};

struct DownloadOutcome {
  std::string sha256;          // of the finished file
  uint64_t size_bytes = 0;     // of the finished file
  uint64_t resumed_bytes = 0;  // of them, how many an earlier run had left
};

// A .part file of an earlier run is continued if the server still has the same content (ETag, or else
// Last-Modified; without either only if `sha256` will prove the result), otherwise the transfer starts again.
// ERRORS: kInvalidArgument (URL or hash is malformed), kNotFound (404, 410), kIo (network, server, disk full:
// the .part file stays), kBadFile (wrong SHA-256: the .part file is removed), kCancelled (by the progress
// function).
Result<DownloadOutcome> download(const DownloadRequest& request);

// The last part of the URL's path, if it can be a file's name; otherwise an error that asks for a name.
Result<std::string> file_name_of_url(const std::string& url);

}  // namespace hb
