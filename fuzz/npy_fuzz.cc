// Any bytes as an npy file: an error, or a header whose data lies inside the file.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "lab/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto header = hb::parse_npy({data, size});
  if (!header) return 0;
  const auto elements = hb::elements_of(header->shape);
  if (!elements || header->data_offset + *elements * hb::size_of(header->type) != size) std::abort();
  return 0;
}
