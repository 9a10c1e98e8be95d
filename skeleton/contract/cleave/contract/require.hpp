// SPDX-License-Identifier: Apache-2.0
// What compile errors of one sentence are made of.
#pragma once

#include <type_traits>

/// In a consteval function that returns whether all is well: if not `holds`, reports the sentence
/// that follows and returns false, and nothing behind it is compiled.
#define CLEAVE_REQUIRE(holds, ...)     \
  if constexpr (!(holds)) {            \
    static_assert(holds, __VA_ARGS__); \
    return false;                      \
  } else  // NOLINT: the next condition belongs to it

/// Defines `Mentions_x<App>`: whether App has any member x, be it private, overloaded, a template
/// or of a wrong type. So what is not as it must be is told from what is not there. A name that two
/// bases have is ambiguous; nothing derives from a final class, which is asked for a member that is
/// neither overloaded nor a template.
#define CLEAVE_MENTIONS(x)                                                        \
  struct Has_##x {                                                                \
    int x;                                                                        \
  };                                                                              \
  template <class App>                                                            \
  struct Beside_##x : App, Has_##x {};                                            \
  template <class App>                                                            \
  concept Mentions_##x =                                                          \
      std::is_class_v<App> && ((std::is_final_v<App> && requires { &App::x; }) || \
                               (!std::is_final_v<App> && !requires { &Beside_##x<App>::x; }))
