// write_tiny_model PATH: a complete model of a few kilobytes, for tests that run programs.
#include <cstdio>

#include "model/tiny_model.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const hb::Status written = hb::test::write_tiny_model(argv[1], {});
  if (!written) std::fprintf(stderr, "%s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
