// The largest of 64 candidates, through shared memory; of equals the one with the lowest number.
#ifndef HB_ARGMAX_GLSL
#define HB_ARGMAX_GLSL

shared float candidate_values[64];
shared uint candidate_ids[64];

bool beats(float value, uint id, float other, uint other_id) {
  return value > other || (value == other && id < other_id);
}

// Afterwards candidate 0 is the largest. Every invocation of the work-group of 64 calls it with its own.
void join_candidates(float value, uint id) {
  uint at = gl_LocalInvocationIndex;
  candidate_values[at] = value;
  candidate_ids[at] = id;
  for (uint distance = 32u; distance > 0u; distance >>= 1) {
    barrier();
    if (at < distance &&
        beats(candidate_values[at + distance], candidate_ids[at + distance], candidate_values[at], candidate_ids[at])) {
      candidate_values[at] = candidate_values[at + distance];
      candidate_ids[at] = candidate_ids[at + distance];
    }
  }
  barrier();
}

#endif
