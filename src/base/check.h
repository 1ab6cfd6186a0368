// Programmer's errors: a broken contract between parts of halfbyte stops the process and shows the values.
// Never used on what comes from outside (files, users, drivers): that is base/error.h.
#pragma once

#include <sstream>
#include <string>

namespace hb::internal {

[[noreturn]] void check_failed(const char* file, int line, const char* expression, const std::string& values);

template <class A, class B>
std::string describe_values(const A& a, const B& b) {
  std::ostringstream out;
  out << a << " against " << b;
  return out.str();
}

}  // namespace hb::internal

#define HB_CHECK(condition)                                             \
  do {                                                                  \
    if (!(condition)) [[unlikely]]                                      \
      ::hb::internal::check_failed(__FILE__, __LINE__, #condition, ""); \
  } while (false)

#define HB_CHECK_OP(a, op, b)                                                    \
  do {                                                                           \
    const auto& hb_a = (a);                                                      \
    const auto& hb_b = (b);                                                      \
    if (!(hb_a op hb_b)) [[unlikely]]                                            \
      ::hb::internal::check_failed(__FILE__, __LINE__, #a " " #op " " #b,        \
                                   ::hb::internal::describe_values(hb_a, hb_b)); \
  } while (false)

#define HB_CHECK_EQ(a, b) HB_CHECK_OP(a, ==, b)
#define HB_CHECK_LE(a, b) HB_CHECK_OP(a, <=, b)
#define HB_CHECK_LT(a, b) HB_CHECK_OP(a, <, b)
