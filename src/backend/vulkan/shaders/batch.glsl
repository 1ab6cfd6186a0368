// What the host says about the batch of one submission (host: batch_params.h).
#ifndef HB_BATCH_GLSL
#define HB_BATCH_GLSL

#ifndef BATCH_BINDING
#define BATCH_BINDING 0
#endif

layout(binding = BATCH_BINDING) readonly buffer Batch {
  uint batch_position;      // of the first row
  uint batch_count;         // rows
  uint batch_output_count;  // last rows whose logits are wanted
  uint batch_step;          // evaluations of this submission that are done: where it feeds itself
  uint batch_tokens[];
};

#endif
