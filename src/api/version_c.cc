// Versions and names: the functions of halfbyte.h that need nothing.
#include "halfbyte/halfbyte.h"

uint32_t hb_abi_version(void) { return HB_ABI_VERSION; }

const char* hb_version(void) { return HALFBYTE_VERSION; }

const char* hb_status_name(hb_status status) {
  switch (status) {
    case HB_OK:
      return "ok";
    case HB_INVALID_ARGUMENT:
      return "invalid argument";
    case HB_NOT_FOUND:
      return "not found";
    case HB_BAD_FILE:
      return "bad file";
    case HB_UNSUPPORTED:
      return "unsupported";
    case HB_IO:
      return "input or output failed";
    case HB_OUT_OF_MEMORY:
      return "out of memory";
    case HB_DEVICE:
      return "device failed";
    case HB_CANCELLED:
      return "cancelled";
    case HB_BUFFER_TOO_SMALL:
      return "buffer too small";
    case HB_INTERNAL:
      return "internal error";
  }
  return "unknown";
}
