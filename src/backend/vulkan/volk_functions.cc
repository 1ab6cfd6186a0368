// The one place where volk's function pointers live.
#define VOLK_IMPLEMENTATION
#include <volk.h>
