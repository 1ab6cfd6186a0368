// Stop strings in a stream of text: text goes through as soon as it can no longer be part of one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace hb {

// What came through depends on the text alone, not on how it was cut into pieces. The stop string that ends
// first wins; of several that end together, the longest. Nothing is lost: without a hit, the texts passed on,
// finish() at the end included, are the pieces in one. If the pieces and the stop strings are UTF-8, so is
// each text passed on.
class StopStrings {
 public:
  struct Passed {
    std::string text;  // safe to show; never part of a stop string
    std::optional<size_t>
        hit;  // which stop string was met, by its place in the list; the rest of the text is dropped
  };

  // ERRORS: kInvalidArgument for an empty string, one above 4096 bytes, or more than 256 of them.
  static Result<StopStrings> create(std::vector<std::string> stops);

  // After a hit, every further piece is dropped until reset().
  Passed feed(std::string_view piece);

  // The text has ended: passes what was held back.
  std::string finish();

  void reset();

 private:
  struct Pattern {
    std::string text;
    std::vector<size_t> border;  // [n]: length of the longest proper prefix of text that ends text[0, n)
    size_t matched = 0;          // bytes of text that end the stream so far
  };

  explicit StopStrings(std::vector<std::string> stops);

  static void advance(Pattern& pattern, char byte);
  std::optional<size_t> longest_complete() const;

  std::vector<Pattern> patterns_;
  std::string held_;  // the end of the stream that may be the beginning of a stop string
  std::optional<size_t> hit_;
};

}  // namespace hb
