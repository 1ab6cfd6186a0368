// The C API compiles as C++11.
#include <halfbyte/halfbyte.h>

uint32_t hb_test_header_cxx11();
uint32_t hb_test_header_cxx11() {
  hb_session_options options;
  hb_session_options_init(&options, sizeof options);
  return options.context;
}
