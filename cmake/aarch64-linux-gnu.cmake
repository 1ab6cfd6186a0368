# Cross build for 64-bit ARM with Debian's compiler; tests run under qemu.
#
# No arm64 package is needed, and no foreign architecture in dpkg: fmt and spdlog are used as headers, GoogleTest is
# built from Debian's sources (cmake/arm64/). So only the layers that need no other library are built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
# "max" has every extension qemu knows; tests of older cores choose with the kernels' own override.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -cpu max -L /usr/aarch64-linux-gnu)

set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(fmt_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)
set(GTest_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)
set(spdlog_DIR ${CMAKE_CURRENT_LIST_DIR}/arm64)

set(HALFBYTE_LAYERS base quant)
