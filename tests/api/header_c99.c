/* The C API compiles as C99, warnings being errors. */
#include <halfbyte/halfbyte.h>

uint32_t hb_test_header_c99(void);
uint32_t hb_test_header_c99(void) {
  hb_model_options options;
  hb_model_options_init(&options, sizeof options);
  return options.threads + HB_ABI_VERSION;
}
