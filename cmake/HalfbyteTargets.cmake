# The few functions that every folder's CMakeLists.txt uses.

# hb_layer(NAME SOURCES a.cc b.cc LINKS hb_base fmt::fmt)
# A layer is a static library of one folder. Includes are written from the root of src/.
function(hb_layer NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_library(${NAME} STATIC ${ARG_SOURCES})
  target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${NAME} PUBLIC ${ARG_LINKS})
endfunction()

# hb_test(NAME SOURCES a_test.cc LINKS hb_base [LABELS slow])
# One GoogleTest binary; ctest lists each of its cases, labelled with LABELS, or else the folder's name.
function(hb_test NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_include_directories(${NAME} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${NAME} PRIVATE ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  # A death test starts its own binary, which qemu does not run for it.
  if(CMAKE_CROSSCOMPILING)
    set(filter TEST_FILTER "-*DeathTest*")
  endif()
  if(NOT ARG_LABELS)
    get_filename_component(ARG_LABELS ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  endif()
  gtest_discover_tests(${NAME} DISCOVERY_MODE PRE_TEST WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} ${filter}
                       PROPERTIES LABELS "${ARG_LABELS}")
endfunction()

# hb_fuzz(NAME SOURCES gguf_fuzz.cc LINKS hb_model)
# One libFuzzer binary. Its seeds lie in fuzz/seeds/NAME.
function(hb_fuzz NAME)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${NAME} ${ARG_SOURCES})
  target_compile_options(${NAME} PRIVATE -fsanitize=fuzzer)
  target_link_options(${NAME} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${NAME} PRIVATE ${ARG_LINKS})
endfunction()
