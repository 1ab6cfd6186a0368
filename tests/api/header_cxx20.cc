// The wrapper compiles as C++20, warnings being errors.
#include <halfbyte/halfbyte.hpp>

halfbyte::Answer hb_test_header_cxx20(halfbyte::Session& session);
halfbyte::Answer hb_test_header_cxx20(halfbyte::Session& session) {
  return session.generate(session.tokens());
}
