/* Answers one prompt with a model: generate MODEL.gguf "PROMPT" [TOKENS] */
#include <halfbyte/halfbyte.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int print_token(void* user, const hb_token_event* event) {
  (void)user;
  fwrite(event->text, 1, event->text_length, stdout);
  fflush(stdout);
  return 0; /* go on */
}

/* The ids of `text`, to be freed; NULL if there was an error. */
static int32_t* tokenize(const hb_model* model, const char* text, size_t* count, hb_error* error) {
  const size_t length = strlen(text);
  int32_t* tokens;
  if (hb_tokenize(model, text, length, HB_TOKENIZE_ADD_SPECIAL, NULL, 0, count, error) != HB_OK) return NULL;
  tokens = malloc((*count + 1) * sizeof *tokens);
  if (tokens != NULL) hb_tokenize(model, text, length, HB_TOKENIZE_ADD_SPECIAL, tokens, *count, count, error);
  return tokens;
}

int main(int argc, char** argv) {
  hb_error error = {HB_OK, ""};
  hb_model* model = NULL;
  hb_session* session = NULL;
  hb_generate_options options;
  hb_generate_stats stats = {sizeof stats, 0, 0, 0, 0, 0, 0, 0};
  int32_t* prompt = NULL;
  size_t prompt_count = 0;
  int done = 0;

  if (argc < 3) {
    fprintf(stderr, "usage: %s MODEL.gguf PROMPT [TOKENS]\n", argv[0]);
    return 2;
  }
  hb_generate_options_init(&options, sizeof options);
  options.temperature = 0; /* greedy */
  options.max_tokens = argc > 3 ? (uint32_t)atoi(argv[3]) : 64;
  options.on_token = print_token;

  done = hb_model_load(argv[1], NULL, &model, &error) == HB_OK &&
         hb_session_create(model, NULL, &session, &error) == HB_OK &&
         (prompt = tokenize(model, argv[2], &prompt_count, &error)) != NULL &&
         hb_generate(session, prompt, prompt_count, &options, &stats, &error) == HB_OK;
  if (done) {
    printf("\n%u tokens, logits %016llx\n", stats.decoded_tokens, (unsigned long long)stats.logits_hash);
  } else {
    fprintf(stderr, "error: %s: %s\n", hb_status_name(error.status), error.message);
  }
  free(prompt);
  hb_session_free(session);
  hb_model_free(model);
  return done ? 0 : 1;
}
