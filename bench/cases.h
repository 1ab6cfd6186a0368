// The families of benchmarks; each registers its own.
#pragma once

namespace hb::bench {

void register_ceilings();   // ceilings_bench.cc: read loops and integer dots
void register_tiles();      // tile_bench.cc: every matrix kernel of kernels.def
void register_attention();  // attention_bench.cc
void register_vectors();    // vector_bench.cc: quantise_row, rms_norm, finish_rows

}  // namespace hb::bench
