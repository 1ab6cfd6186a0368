// The tree that joins the sixteen lanes of a sum, by shuffles: subgroups of at least sixteen, all of them full.
#ifndef HB_LANES_SHUFFLE_GLSL
#define HB_LANES_SHUFFLE_GLSL

#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_shuffle : require

// Both partners add the same two values, so every lane ends with the sum.
vec4 join_lanes_by_shuffles(vec4 value) {
  precise vec4 sum = value;
  for (uint distance = 8u; distance > 0u; distance >>= 1) sum = sum + subgroupShuffleXor(sum, distance);
  return sum;
}

#endif
