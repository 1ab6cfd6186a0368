// Drivers leak, and a device that was given up is left as it is: nothing that the address sanitizer should
// report.
extern "C" const char* __asan_default_options();
extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }
