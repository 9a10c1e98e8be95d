# Install and export, so that find_package(cleave) works from another project.
include(CMakePackageConfigHelpers)

install(EXPORT cleave-targets NAMESPACE cleave:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cleave
        COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cleave-config.cmake.in
                              ${PROJECT_BINARY_DIR}/cleave-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cleave-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cleave-config.cmake
              ${PROJECT_BINARY_DIR}/cleave-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/cleave COMPONENT development)
