// The scalar reference: the numerics contract in executable form. Slow, and right by definition: every other
// backend equals it bit for bit.
#pragma once

#include <memory>

#include "backend/backend.h"

namespace hb {

std::unique_ptr<Backend> make_ref_backend();

}  // namespace hb
