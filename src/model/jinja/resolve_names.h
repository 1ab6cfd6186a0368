// Gives every variable of a template its place, by Jinja's rules of scope.
#pragma once

#include "base/error.h"
#include "model/jinja/ast.h"

namespace hb::jinja {

// Jinja decides before it runs a template where each name lives: a frame (the template, a macro, a loop's
// body, …) owns the names that it assigns anywhere, and a name that is only read belongs to the nearest frame
// that has it, or to the input. So {% for x in y %}{{ a }}{% endfor %}{% set a = 1 %} never prints an `a` of
// the input. ERRORS: kBadFile: a loop whose target is `loop`.
Status resolve_names(Template& parsed);

}  // namespace hb::jinja
