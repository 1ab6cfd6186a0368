# Build options, and the compiler flags that the numerics contract depends on.
option(HALFBYTE_BUILD_APPS "Build the halfbyte command" ON)
option(HALFBYTE_BUILD_TESTS "Build the tests" ON)
option(HALFBYTE_BUILD_BENCH "Build the kernel benchmarks" OFF)
option(HALFBYTE_BUILD_FUZZ "Build the libFuzzer targets (Clang only)" OFF)
set(HALFBYTE_SANITIZE "" CACHE STRING "Sanitizers for every target: address, thread, or empty")

# The layers of src/ and tests/, lowest first. A cross build that lacks libraries names fewer.
if(NOT DEFINED HALFBYTE_LAYERS)
  set(HALFBYTE_LAYERS base fetch quant model plan backend engine lab api)
endif()

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# The contract: a product and a sum round separately. GCC's default contracts across statements.
add_compile_options(-Wall -Wextra -Werror=return-type -ffp-contract=off -fno-math-errno)

if(HALFBYTE_SANITIZE STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(HALFBYTE_SANITIZE STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
elseif(NOT HALFBYTE_SANITIZE STREQUAL "")
  message(FATAL_ERROR "HALFBYTE_SANITIZE is '${HALFBYTE_SANITIZE}'; it may be address, thread, or empty")
endif()
