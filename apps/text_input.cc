#include "apps/text_input.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "apps/terminal.h"
#include "model/utf8.h"

namespace hb {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 30;

Result<std::string> read_all(std::FILE* in, const std::string& name) {
  std::string text;
  std::array<char, 1 << 16> piece;
  while (const size_t got = std::fread(piece.data(), 1, piece.size(), in)) {
    text.append(piece.data(), got);
    if (text.size() > kMaxBytes)
      return fail(ErrorCode::kInvalidArgument, fmt::format("{} holds more than 1 GiB of text", name));
  }
  if (std::ferror(in))
    return fail(ErrorCode::kIo, fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  return text;
}

std::string without_last_line_end(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  return text;
}

Result<std::string> read_unchecked(const TextSource& source, const std::string& what) {
  if (source.argument) return *source.argument;
  if (source.file.empty() && is_terminal(stdin)) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("no {}: give it as an argument, with --file, or on standard input", what));
  }
  const bool from_stdin = source.file.empty() || source.file == "-";
  HB_ASSIGN(std::string text, from_stdin ? read_all(stdin, "standard input") : read_text_file(source.file));
  return without_last_line_end(std::move(text));
}

}  // namespace

void add_text_source(CLI::App& command, TextSource& source, const std::string& name,
                     const std::string& what) {
  CLI::Option* argument = command.add_option(name, source.argument, what);
  command.add_option("-f,--file", source.file, "Read it from this file; -: from standard input")
      ->excludes(argument);
}

Result<std::string> read_text_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file)
    return fail(ErrorCode::kNotFound, fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  return read_all(file.get(), fmt::format("'{}'", path));
}

Status check_utf8(const std::string& text, const std::string& what) {
  std::string_view rest = text;
  while (!rest.empty()) {
    const Utf8Unit unit = utf8_next(rest);
    if (unit.kind != Utf8Kind::kValid) {
      return fail(
          ErrorCode::kInvalidArgument,
          fmt::format("the {} is not UTF-8: byte {} is 0x{:02x}; convert it first, with iconv for example",
                      what, text.size() - rest.size(), static_cast<uint8_t>(rest[0])));
    }
    rest.remove_prefix(unit.size_bytes);
  }
  return {};
}

Result<std::string> read_text(const TextSource& source, const std::string& what) {
  HB_ASSIGN(std::string text, read_unchecked(source, what));
  if (text.empty()) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("the {} is empty: give it as an argument, with --file, or on standard input", what));
  }
  HB_TRY(check_utf8(text, what));
  return text;
}

}  // namespace hb
