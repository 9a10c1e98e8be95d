// SPDX-License-Identifier: Apache-2.0
// How an exception leaves WebAssembly: libc++abi for it has none. It is thrown in JavaScript, which
// unwinds all calls, and none is caught on the way.
#include <cstddef>
#include <cstdlib>
#include <exception>

extern "C" {

/// Throws an Error with the message `text` in JavaScript.
[[noreturn, clang::import_module("page"), clang::import_name("fail")]] void page_fail(
    const char* text);

void* __cxa_allocate_exception(std::size_t bytes) noexcept { return std::malloc(bytes); }
void __cxa_free_exception(void* exception) noexcept { std::free(exception); }

/// \pre  what is thrown derives from std::exception and begins with it
[[noreturn]] void __cxa_throw(void* exception, void* /*type*/, void (* /*destroy*/)(void*)) {
  page_fail(static_cast<std::exception*>(exception)->what());
}

}  // extern "C"
