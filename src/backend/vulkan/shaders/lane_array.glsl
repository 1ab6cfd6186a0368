// The tree that joins the sixteen lanes of a sum, where one invocation holds them all.
#ifndef HB_LANE_ARRAY_GLSL
#define HB_LANE_ARRAY_GLSL

float join_lane_array(float values[16]) {
  precise float lane[16] = values;
  for (uint distance = 8u; distance > 0u; distance >>= 1) {
    for (uint l = 0u; l < distance; ++l) lane[l] = lane[l] + lane[l + distance];
  }
  return lane[0];
}

#endif
