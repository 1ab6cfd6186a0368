// tokenize_lines MODEL.gguf [parse_special] < texts > ids
// Reads records of a 4-byte little-endian length and that many bytes; answers each with one line: the ids,
// and after a tab the decoded bytes in hexadecimal.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/tokenizer.h"

namespace {

bool read_record(std::string* text) {
  unsigned char size[4];
  if (!std::cin.read(reinterpret_cast<char*>(size), 4)) return false;
  text->resize(size[0] | size[1] << 8 | size[2] << 16 | static_cast<size_t>(size[3]) << 24);
  return static_cast<bool>(std::cin.read(text->data(), static_cast<std::streamsize>(text->size())));
}

int complain(const hb::Error& error) {
  fmt::print(stderr, "tokenize_lines: {}\n", error.message);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2)
    return complain({hb::ErrorCode::kInvalidArgument, "usage: tokenize_lines MODEL.gguf [parse_special]"});
  const auto file = hb::GgufFile::open(argv[1]);
  if (!file) return complain(file.error());
  const auto tokenizer = hb::Tokenizer::from_gguf(**file);
  if (!tokenizer) return complain(tokenizer.error());
  const hb::EncodeOptions options{.add_special = false,
                                  .parse_special = argc > 2 && std::string_view(argv[2]) == "parse_special"};
  for (std::string text; read_record(&text);) {
    const auto ids = (*tokenizer)->encode(text, options);
    if (!ids) return complain(ids.error());
    std::string hex;
    for (const unsigned char byte : (*tokenizer)->decode(*ids, true)) hex += fmt::format("{:02x}", byte);
    fmt::print("{}\t{}\n", fmt::join(*ids, " "), hex);
  }
  return 0;
}
