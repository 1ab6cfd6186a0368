# fmt as headers only. They lie in /usr/include, which Debian's cross compiler searches after its own folders.
if(NOT TARGET fmt::fmt)
  add_library(fmt::fmt INTERFACE IMPORTED GLOBAL)
  target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY)
endif()
