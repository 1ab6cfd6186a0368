# Cross build for 64-bit ARM with Debian's compiler; tests run under qemu.
#
# dpkg needs no foreign architecture: fmt, spdlog and nlohmann-json are used as headers, GoogleTest is built from
# Debian's sources (cmake/arm64/), and tools/arm64_libraries.sh unpacks the few libraries that the layers below link.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# "max" has every extension qemu knows; tests of older cores choose with the kernels' own override.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu)

set(hb_arm64_libraries ${CMAKE_CURRENT_LIST_DIR}/../build/arm64-libraries)
set(ENV{PKG_CONFIG_LIBDIR} ${hb_arm64_libraries}/usr/lib/aarch64-linux-gnu/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${hb_arm64_libraries})
set(CMAKE_CXX_STANDARD_INCLUDE_DIRECTORIES ${hb_arm64_libraries}/usr/include/aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH ${hb_arm64_libraries} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(OPENSSL_USE_STATIC_LIBS ON)
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)
set(GTest_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)
set(nlohmann_json_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)
set(spdlog_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)

# All but fetch, which needs curl; without the libraries, what needs none.
if(EXISTS ${hb_arm64_libraries}/complete)
  set(HALFBYTE_LAYERS base quant model plan backend engine lab)
else()
  set(HALFBYTE_LAYERS base quant)
endif()
