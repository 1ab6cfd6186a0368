# cmake --install: the library, its headers, what finds them (find_package and pkg-config), and the command.
# No file that is installed names the prefix, so that the tree may be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS halfbyte_shared EXPORT halfbyte LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/halfbyte/halfbyte.h include/halfbyte/halfbyte.hpp
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halfbyte)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/halfbyte)
install(EXPORT halfbyte NAMESPACE halfbyte:: FILE halfbyteConfig.cmake DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halfbyteConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halfbyteConfigVersion.cmake DESTINATION ${package_folder})

file(RELATIVE_PATH HALFBYTE_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/halfbyte.pc.in ${PROJECT_BINARY_DIR}/halfbyte.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/halfbyte.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(TARGET halfbyte)
  install(TARGETS halfbyte RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()
