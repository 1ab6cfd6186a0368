// Any bytes end in a plan that prints and adds up, or in an error.
#include "base/check.h"
#include "model/gguf.h"
#include "plan/build_plan.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto file = hb::GgufFile::parse({data, size});
  if (!file) return 0;
  const hb::Result<hb::Plan> plan = hb::build_plan(**file);
  if (!plan) return 0;
  HB_CHECK(!to_string(*plan).empty());
  HB_CHECK(weight_bytes_per_token(*plan) > 0);
  unused_tensors(**file, *plan);
  return 0;
}
