// One function for each shape of an architecture, in a file of its name; build_plan.cc has the table.
#pragma once

#include "plan/plan_builder.h"

namespace hb {

void build_llama(PlanBuilder& b);
void build_minicpm(PlanBuilder& b);
void build_qwen3(PlanBuilder& b);
void build_gemma3(PlanBuilder& b);

}  // namespace hb
