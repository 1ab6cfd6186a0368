// The tree that joins the sixteen lanes of a sum, through shared memory. Portable: no subgroups.
//
// The work-group is 64 invocations, lane = local index mod 16. Before: each invocation has put its lane's value at
// lane_values[column][local index]. After: a group's lane 0 holds the sum. Every invocation of the work-group calls it.
#ifndef HB_LANES_GLSL
#define HB_LANES_GLSL

#ifndef LANE_VALUE
#define LANE_VALUE float
#endif
#ifndef LANE_COLUMNS
#define LANE_COLUMNS 1
#endif

shared LANE_VALUE lane_values[LANE_COLUMNS][64];

void join_lanes(uint lane) {
  uint at = gl_LocalInvocationIndex;
  for (uint distance = 8u; distance > 0u; distance >>= 1) {
    barrier();
    if (lane < distance) {
      for (uint column = 0u; column < LANE_COLUMNS; ++column) {
        precise LANE_VALUE sum = lane_values[column][at] + lane_values[column][at + distance];
        lane_values[column][at] = sum;
      }
    }
  }
  barrier();
}

#endif
