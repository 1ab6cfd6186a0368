// Answers one prompt with a model: generate MODEL.gguf "PROMPT" [TOKENS]
#include <halfbyte/halfbyte.hpp>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s MODEL.gguf PROMPT [TOKENS]\n", argv[0]);
    return 2;
  }
  try {
    const halfbyte::Model model(argv[1]);
    halfbyte::Session session(model);

    halfbyte::GenerateOptions options;
    options.temperature = 0;  // greedy
    options.max_tokens = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 64;

    const auto prompt = model.tokenize(argv[2]);
    const auto answer = session.generate(prompt, options, [](const hb_token_event& event) {
      std::fwrite(event.text, 1, event.text_length, stdout);
      std::fflush(stdout);
      return true;  // go on
    });
    std::printf("\n%" PRIu32 " tokens, logits %016" PRIx64 "\n", answer.stats.decoded_tokens,
                answer.stats.logits_hash);
    return 0;
  } catch (const halfbyte::Error& error) {
    std::fprintf(stderr, "error: %s: %s\n", hb_status_name(error.status()), error.what());
    return 1;
  }
}
