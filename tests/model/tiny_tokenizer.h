// The tokenizers of tiny models, written into their metadata.
#pragma once

#include <cstdint>

#include "model/gguf_header.h"

namespace hb::test {

// Byte-level BPE: 3 control tokens, the 256 bytes, a few merges, then unused tokens up to `vocab`.
void add_tiny_bpe(GgufHeader* header, uint32_t vocab);

// SentencePiece: 4 control tokens, 256 byte tokens, a few pieces with scores, then unused tokens up to
// `vocab`.
void add_tiny_spm(GgufHeader* header, uint32_t vocab);

}  // namespace hb::test
