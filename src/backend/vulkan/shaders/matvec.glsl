// What the two matvec kernels share: a row group (four rows) is served by sixteen invocations, one a lane, for
// COLUMNS rows of the batch.
#ifndef HB_MATVEC_GLSL
#define HB_MATVEC_GLSL

#define LANE_VALUE vec4
#define LANE_COLUMNS COLUMNS
#include "backend/vulkan/shaders/epilogue.glsl"
#include "backend/vulkan/shaders/lanes.glsl"

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

uint lane_index() { return gl_LocalInvocationIndex & 15u; }
uint wanted_group() { return gl_WorkGroupID.x * 4u + gl_LocalInvocationIndex / 16u; }
uint first_column() { return gl_WorkGroupID.y * COLUMNS; }

// Joins the lanes and stores the group's products. Every invocation calls it.
void join_and_finish(vec4 sums[COLUMNS]) {
  for (uint c = 0u; c < COLUMNS; ++c) lane_values[c][gl_LocalInvocationIndex] = sums[c];
  uint lane = lane_index();
  join_lanes(lane);
  uint row = first_row + wanted_group() * 4u + (lane & 3u);
  uint column = lane / 4u;
  if (wanted_group() < groups && column < COLUMNS && row < rows) {
    float result = lane_values[column][gl_LocalInvocationIndex - lane][lane & 3u];
    finish(result, row, (first_column() + column) * rows + row, flags, out_scale);
  }
}

#endif
