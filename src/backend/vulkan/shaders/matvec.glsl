// What the two matvec kernels share: a row group (four rows) is served by sixteen invocations, one a lane, for
// COLUMNS rows of the batch.
#ifndef HB_MATVEC_GLSL
#define HB_MATVEC_GLSL

#define LANE_VALUE vec4
#define LANE_COLUMNS COLUMNS
#include "backend/vulkan/shaders/epilogue.glsl"
#ifdef LANES_SHUFFLE
#include "backend/vulkan/shaders/lanes_shuffle.glsl"
#else
#include "backend/vulkan/shaders/lanes.glsl"
#endif

layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
  uint steps;      // sixteen blocks (or elements) each, of a row
  uint blocks;     // blocks (or elements) of a row
  uint groups;     // of four rows, in this dispatch
  uint first_row;  // of this dispatch
  uint rows;       // of the matrix
  uint flags;
  float out_scale;
};

// With shuffles a row group is sixteen neighbours of a subgroup, which are not promised to be neighbours by local index.
#ifdef LANES_SHUFFLE
uint invocation_index() { return gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID; }
#else
uint invocation_index() { return gl_LocalInvocationIndex; }
#endif

uint lane_index() { return invocation_index() & 15u; }
uint wanted_group() { return gl_WorkGroupID.x * 4u + invocation_index() / 16u; }
uint first_column() { return gl_WorkGroupID.y * COLUMNS; }

// Joins the lanes and stores the group's products. Every invocation calls it.
void join_and_finish(vec4 sums[COLUMNS]) {
  uint lane = lane_index();
  uint row = first_row + wanted_group() * 4u + (lane & 3u);
  uint column = lane / 4u;
#ifdef LANES_SHUFFLE
  float result = 0.0;
  for (uint c = 0u; c < COLUMNS; ++c) {
    vec4 joined = join_lanes_by_shuffles(sums[c]);
    if (c == column) result = joined[lane & 3u];
  }
#else
  for (uint c = 0u; c < COLUMNS; ++c) lane_values[c][gl_LocalInvocationIndex] = sums[c];
  join_lanes(lane);
  float result = lane_values[min(column, COLUMNS - 1u)][gl_LocalInvocationIndex - lane][lane & 3u];
#endif
  if (wanted_group() < groups && column < COLUMNS && row < rows)
    finish(result, row, (first_column() + column) * rows + row, flags, out_scale);
}

#endif
