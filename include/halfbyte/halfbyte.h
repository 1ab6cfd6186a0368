/* halfbyte: 4-bit language models, with the same bits on every machine. The C API.
 *
 * It holds for everything here unless a declaration says otherwise:
 *
 * Errors. A function that can fail returns an hb_status and takes an hb_error as its last parameter: a struct
 * of the caller, NULL if the message is not wanted. It is written only on failure, so there is no state of
 * the library to ask or to overwrite, and nothing to free. Outputs are untouched on failure. NULL, an unknown
 * flag or a bad size is HB_INVALID_ARGUMENT, never a crash. No C++ exception leaves the library.
 *
 * Text is UTF-8 and ends with a zero. Lengths are in bytes, without the zero.
 *
 * Parameters, strings and arrays among them, are borrowed for the call.
 *
 * Arrays and texts returned are copied into the caller's buffer of `capacity` elements. `*count` or `*length`
 * becomes what there is in all, whatever the capacity. A capacity of 0 with a NULL buffer asks for that size
 * and succeeds; a buffer that is too small is HB_BUFFER_TOO_SMALL and is not written.
 *
 * Structs with a struct_size grow at their end only. hb_..._init(&options, sizeof options) sets struct_size
 * and the defaults. A program built with an older header passes a smaller struct_size: the missing fields
 * have their defaults. One built with a newer header may run with an older library as long as the bytes that
 * this library does not know are zero; otherwise the call is HB_INVALID_ARGUMENT. In structs that the library
 * fills, set struct_size before the call; bytes that the library does not know become zero.
 *
 * Switches are 0 (off) or 1 (on).
 *
 * Threads. A model may be used by any number of threads at once. A session belongs to one thread at a time. A
 * function that changes a session, entered while another one is at work on it (in another thread, or in the
 * call that a callback belongs to), is HB_INVALID_ARGUMENT. Sessions of one model take turns with its
 * threads.
 *
 * Globals: none, and no environment variable is read. Loading a model installs a handler for SIGBUS, which
 * turns a model file that is cut while it is read into an error, and passes all else on to the handler before
 * it.
 */
#ifndef HALFBYTE_HALFBYTE_H
#define HALFBYTE_HALFBYTE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HB_API __attribute__((visibility("default")))
#else
#define HB_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Versions and errors ---- */

/* Counts incompatible changes of this header; the number in libhalfbyte.so.N. */
#define HB_ABI_VERSION 0

HB_API uint32_t hb_abi_version(void); /* HB_ABI_VERSION of the library that runs */
HB_API const char* hb_version(void);  /* "0.1.0", of the library that runs; static */

typedef int32_t hb_status;
enum {
  HB_OK = 0,
  HB_INVALID_ARGUMENT = 1, /* what was asked for cannot be: an option, a size, a position */
  HB_NOT_FOUND = 2,        /* a file, a tensor or a name is missing */
  HB_BAD_FILE = 3,         /* a file does not follow its format */
  HB_UNSUPPORTED = 4,      /* well-formed, and more than this library can do */
  HB_IO = 5,               /* the system refused to read or write */
  HB_OUT_OF_MEMORY = 6,
  HB_DEVICE = 7,    /* a driver failed, hung or lost its device */
  HB_CANCELLED = 8, /* a progress callback asked to stop */
  HB_BUFFER_TOO_SMALL = 9,
  HB_INTERNAL = 10 /* a defect of halfbyte */
};

/* "invalid argument"; "unknown" for numbers that are not above. Static. */
HB_API const char* hb_status_name(hb_status status);

/* What went wrong, where, and what to do, as one sentence. Cut at a character's border if it is longer. */
typedef struct hb_error {
  hb_status status;
  char message[1020];
} hb_error;

/* ---- Models ---- */

/* A loaded model: weights, tokenizer and threads. Immutable. */
typedef struct hb_model hb_model;

/* Called now and then from within a call, on its thread. 0 goes on; anything else stops, and the call is
 * HB_CANCELLED. Callbacks do not throw and do not jump. */
typedef int (*hb_progress_fn)(void* user, uint64_t done, uint64_t total);

typedef struct hb_model_options {
  size_t struct_size;
  const char* backend; /* "cpu" (default), "vulkan", or "ref": the slow reference that defines every bit */
  const char* isa; /* instruction set of the cpu backend: "auto" (default), "scalar", "avx2", "neon", ... */
  const char* cpu_mask; /* where worker threads may run, in hexadecimal: "f0" is CPU 4 to 7; NULL (default):
                           anywhere. The calling thread computes too, and is left where it is. */
  uint32_t threads;     /* 0 (default): as many as the machine has fast cores; changes no bit of a result */
  uint32_t spin_us;     /* microseconds that an idle thread spins before it sleeps; default 30 */
  uint32_t huge_pages;  /* switch, default 1: ask the system for huge pages for weights */
  uint32_t reserved;    /* 0 */
  hb_progress_fn progress; /* bytes of weights packed, and in all: once a weight; a stop takes effect there */
  void* progress_user;
  const char* vulkan_device; /* its number, or a part of its name; NULL (default): the best */
  const char* cache_folder; /* where the vulkan backend keeps compiled kernels; NULL (default): it does not */
} hb_model_options;

HB_API hb_status hb_model_options_init(hb_model_options* options, size_t struct_size);

/* Reads a GGUF file, of a split one the first part. NULL options: the defaults. The caller frees *model.
 * HB_NOT_FOUND, HB_BAD_FILE, HB_UNSUPPORTED, HB_IO, HB_OUT_OF_MEMORY, HB_CANCELLED. */
HB_API hb_status hb_model_load(const char* path, const hb_model_options* options, hb_model** model,
                               hb_error* error);

/* Sessions keep what they need of their model, so the order of freeing does not matter. NULL is allowed. */
HB_API void hb_model_free(hb_model* model);

/* The strings live as long as the model. */
typedef struct hb_model_info {
  size_t struct_size;
  const char* architecture;        /* "llama", "qwen3", ... */
  const char* backend;             /* "cpu", "vulkan" or "ref" */
  const char* backend_description; /* "avx512vnni, 2 threads" */
  const char* kernels_json;        /* [{"op": tensor, "kernel": name, "reason": why}, ...] */
  const char* chat_template;       /* source, "" if the file has none */
  uint64_t weight_bytes;           /* resident, packed */
  uint64_t weight_bytes_per_token; /* that one decoded token reads */
  int32_t vocab_size;              /* tokens are 0 ... vocab_size - 1 */
  uint32_t context;                /* positions that the model was trained for */
} hb_model_info;

HB_API hb_status hb_model_get_info(const hb_model* model, hb_model_info* info, hb_error* error);

/* ---- Text ---- */

enum {
  HB_TOKENIZE_ADD_SPECIAL = 1,  /* begin and end tokens, as the model wants them */
  HB_TOKENIZE_PARSE_SPECIAL = 2 /* "<|im_end|>" in the text is that token; only for text that may say so */
};

/* Any bytes are accepted, zeros included. tokens: (capacity) ids. */
HB_API hb_status hb_tokenize(const hb_model* model, const char* text, size_t text_length, uint32_t flags,
                             int32_t* tokens, size_t capacity, size_t* count, hb_error* error);

enum { HB_RENDER_CONTROL = 1 /* control tokens become their spelling instead of nothing */ };

/* The text of (count) tokens; the inverse of hb_tokenize. The capacity includes the zero at the end. */
HB_API hb_status hb_detokenize(const hb_model* model, const int32_t* tokens, size_t count, uint32_t flags,
                               char* text, size_t capacity, size_t* length, hb_error* error);

/* The bytes of one token as it stands in a text: they may begin or end within a character, and may hold a
 * zero. */
HB_API hb_status hb_token_piece(const hb_model* model, int32_t token, uint32_t flags, char* text,
                                size_t capacity, size_t* length, hb_error* error);

typedef struct hb_special_tokens {
  size_t struct_size;
  int32_t bos, eos, eot, unk, pad; /* -1: the model has none */
  uint32_t adds_bos, adds_eos;     /* switches: what HB_TOKENIZE_ADD_SPECIAL does */
  uint32_t reserved;
} hb_special_tokens;

HB_API hb_status hb_model_get_special_tokens(const hb_model* model, hb_special_tokens* special,
                                             hb_error* error);

/* 1 if the token ends an answer, otherwise 0; also 0 for NULL and for ids outside the vocabulary. */
HB_API int hb_token_is_end(const hb_model* model, int32_t token);

/* One message of a chat. It never grows: richer messages go through hb_chat_options.variables_json. */
typedef struct hb_message {
  const char* role; /* "system", "user", "assistant", ... */
  const char* content;
} hb_message;

typedef struct hb_chat_options {
  size_t struct_size;
  const char* template_source; /* Jinja; NULL (default): the model's own */
  const char* template_name;   /* or one that is built in: "chatml", "llama3", "gemma" */
  const char* tools_json;      /* array of tools, or NULL */
  const char* variables_json; /* object with more variables of the template, or NULL; they win over those that
                                 the library sets: {"enable_thinking": false}, or {"messages": [...]} */
  uint32_t add_generation_prompt; /* switch, default 1: the text ends where the answer begins */
  uint32_t reserved;              /* 0 */
} hb_chat_options;

HB_API hb_status hb_chat_options_init(hb_chat_options* options, size_t struct_size);

/* The prompt of a chat, to be tokenized with HB_TOKENIZE_PARSE_SPECIAL; begin tokens are in it where the
 * template writes them. (message_count) messages may be none with a "messages" variable. NULL options: the
 * defaults. HB_NOT_FOUND: neither the model nor the options have a template. HB_BAD_FILE, HB_UNSUPPORTED: the
 * template is broken, or goes beyond this engine. HB_INVALID_ARGUMENT: the template refuses the messages. */
HB_API hb_status hb_apply_chat_template(const hb_model* model, const hb_message* messages,
                                        size_t message_count, const hb_chat_options* options, char* text,
                                        size_t capacity, size_t* length, hb_error* error);

/* ---- Sessions ---- */

/* One conversation: the tokens so far, their cache, and the logits of what comes next. */
typedef struct hb_session hb_session;

typedef struct hb_session_options {
  size_t struct_size;
  uint32_t context; /* positions; 0 (default): the model's, at most 4096 */
  uint32_t batch;   /* tokens that one pass takes at most, default 512; changes no bit of a result */
  uint32_t shift; /* switch, default 0. 1: more tokens than the context holds are no error; the older half is
                     dropped, as often as it takes, and the rest evaluated again: the session is then a fresh
                     one with the tokens that are left */
  uint32_t keep;  /* first tokens that a shift never drops, default 4 */
} hb_session_options;

HB_API hb_status hb_session_options_init(hb_session_options* options, size_t struct_size);

/* NULL options: the defaults. The caller frees *session. HB_OUT_OF_MEMORY. */
HB_API hb_status hb_session_create(const hb_model* model, const hb_session_options* options,
                                   hb_session** session, hb_error* error);
HB_API void hb_session_free(hb_session* session); /* NULL is allowed; not from its own callbacks */

/* Evaluates (count) tokens after those that are there. progress (may be NULL) is called between batches with
 * tokens. On HB_CANCELLED the session holds the tokens that were done. */
HB_API hb_status hb_session_append(hb_session* session, const int32_t* tokens, size_t count,
                                   hb_progress_fn progress, void* progress_user, hb_error* error);

/* Makes the session hold the (count) tokens, or what a shift leaves of more than the context holds, and
 * evaluates only what differs; *kept (may be NULL) becomes the number of tokens that were there already. On
 * failure the session holds a beginning of them. */
HB_API hb_status hb_session_set_tokens(hb_session* session, const int32_t* tokens, size_t count, size_t* kept,
                                       hb_progress_fn progress, void* progress_user, hb_error* error);

/* Forgets all tokens from `count` on, and with them the logits. More than there are changes nothing. */
HB_API hb_status hb_session_truncate(hb_session* session, size_t count, hb_error* error);

/* (*count) tokens, until the session changes. NULL and 0 if there are none. */
HB_API const int32_t* hb_session_tokens(const hb_session* session, size_t* count);

HB_API uint32_t hb_session_context(const hb_session* session); /* positions; 0 for NULL */

/* (*count = vocab_size) logits of the token after the last, until the session changes. NULL and 0 if there
 * are none. */
HB_API const float* hb_session_logits(const hb_session* session, size_t* count);

/* Of the logits' bits: equal on every backend, instruction set, number of threads and batch size. 0: no
 * logits. */
HB_API uint64_t hb_session_logits_hash(const hb_session* session);

/* A file with tokens, cache and logits. Loading checks that it is of this model and fits the context; on
 * failure the session is unchanged. HB_NOT_FOUND, HB_IO, HB_BAD_FILE. */
HB_API hb_status hb_session_save(hb_session* session, const char* path, hb_error* error);
HB_API hb_status hb_session_load(hb_session* session, const char* path, hb_error* error);

/* ---- Answers ---- */

typedef struct hb_token_logprob {
  int32_t token;
  float logprob; /* natural logarithm, of the model's own distribution */
} hb_token_logprob;

/* Lives until the callback returns. */
typedef struct hb_token_event {
  size_t struct_size;
  const char* text; /* what became certain with this token, whole characters of UTF-8; may be empty */
  size_t text_length;
  int32_t token;                     /* -1: the answer has ended, and text is the rest of it */
  float logprob;                     /* of the token; NaN unless hb_generate_options.logprobs asks for it */
  const hb_token_logprob* likeliest; /* (likeliest_count), best first */
  size_t likeliest_count;
} hb_token_event;

/* Once a token and once at the end, on the thread of hb_generate. 0 goes on; anything else ends the answer
 * there. */
typedef int (*hb_token_fn)(void* user, const hb_token_event* event);

/* The sampler works in this order: bias, penalties, then the largest logit if temperature is 0, otherwise
 * top_k, typical_p, top_p, min_p, temperature, draw. The same seed draws the same on every machine. */
typedef struct hb_generate_options {
  size_t struct_size;
  uint32_t max_tokens;      /* 0 (default): until the model ends, or the context is full */
  uint32_t ignore_end;      /* switch, default 0: go on past the model's end tokens */
  const char* const* stops; /* (stop_count) texts; the answer ends before the first of them */
  size_t stop_count;
  uint64_t seed;
  float temperature;          /* default 0.8; 0: greedy */
  int32_t top_k;              /* 0 (default): off */
  float top_p;                /* 1 (default): off */
  float min_p;                /* 0 (default): off */
  float typical_p;            /* 1 (default): off */
  float repetition_penalty;   /* 1 (default): off */
  float frequency_penalty;    /* 0 (default): off */
  float presence_penalty;     /* 0 (default): off */
  int32_t penalty_last_n;     /* tokens that the penalties look back on, default 64 */
  int32_t logprobs;           /* -1 (default): none; 0: of the chosen token; n: and of the n likeliest */
  const int32_t* bias_tokens; /* (bias_count) tokens; of one that is there twice, the last counts */
  const float* bias_values;   /* (bias_count) values added to their logits; -infinity bans a token */
  size_t bias_count;
  hb_token_fn on_token;    /* may be NULL */
  hb_progress_fn progress; /* of the prompt, in tokens; may be NULL */
  void* user;              /* of both callbacks */
} hb_generate_options;

HB_API hb_status hb_generate_options_init(hb_generate_options* options, size_t struct_size);

enum {
  HB_FINISH_END = 0,      /* the model ended */
  HB_FINISH_LENGTH = 1,   /* max_tokens, or the context is full */
  HB_FINISH_STOP = 2,     /* a stop text */
  HB_FINISH_CANCELLED = 3 /* on_token asked to stop */
};

typedef struct hb_generate_stats {
  size_t struct_size;
  int32_t finish;         /* HB_FINISH_... */
  uint32_t prompt_tokens; /* cached ones included; not what a shift dropped */
  uint32_t cached_tokens; /* that were there from before */
  uint32_t decoded_tokens;
  double prompt_seconds;
  double decode_seconds;
  uint64_t logits_hash; /* hb_session_logits_hash at the end */
} hb_generate_stats;

/* Makes the session hold the (prompt_count > 0) tokens as hb_session_set_tokens, then answers through
 * on_token. Afterwards the session holds the prompt and the answer. stats may be NULL, options too (the
 * defaults: an answer that nobody hears). HB_CANCELLED: progress asked to stop; on_token's stop is a success
 * with HB_FINISH_CANCELLED. HB_INVALID_ARGUMENT: an option outside its range; the prompt does not fit the
 * context, and the session does not shift. HB_DEVICE. */
HB_API hb_status hb_generate(hb_session* session, const int32_t* prompt, size_t prompt_count,
                             const hb_generate_options* options, hb_generate_stats* stats, hb_error* error);

#ifdef __cplusplus
}
#endif

#endif
