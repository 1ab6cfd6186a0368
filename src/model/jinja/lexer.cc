#include "model/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "model/jinja/limits.h"
#include "model/jinja/string_literal.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

// Line ends become \n, and one at the very end is dropped.
std::string normalized(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t at = 0; at < source.size(); ++at) {
    if (source[at] != '\r') {
      out.push_back(source[at]);
      continue;
    }
    out.push_back('\n');
    if (at + 1 < source.size() && source[at + 1] == '\n') ++at;
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

constexpr std::array<std::string_view, 25> kOperators = {"//", "**", "==", "!=", ">=", "<=", "+", "-", "/",
                                                         "*",  "%",  "~",  "[",  "]",  "(",  ")", "{", "}",
                                                         ">",  "<",  "=",  ".",  ":",  "|",  ","};

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(normalized(source)) {}

  Result<std::vector<Token>> run() {
    while (at_ < source_.size()) HB_TRY(text_then_tag());
    push(TokenKind::kEnd, "");
    return std::move(tokens_);
  }

 private:
  bool looking_at(std::string_view s) const { return std::string_view(source_).substr(at_).starts_with(s); }
  std::string_view rest() const { return std::string_view(source_).substr(at_); }

  std::unexpected<Error> error(const std::string& message) const {
    return fail(ErrorCode::kBadFile, fmt::format("line {}: {}", line_, message));
  }

  void push(TokenKind kind, std::string text) { tokens_.push_back({kind, line_, std::move(text)}); }

  void advance(size_t count) {
    line_ +=
        static_cast<uint32_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_ + count), '\n'));
    at_ += count;
  }

  void skip_space() { advance(rest().size() - strip_left(rest()).size()); }

  // The position of the next {{, {% or {#, or the end.
  size_t find_tag() const {
    for (size_t at = source_.find('{', at_); at != std::string::npos; at = source_.find('{', at + 1)) {
      const char next = at + 1 < source_.size() ? source_[at + 1] : '\0';
      if (next == '{' || next == '%' || next == '#') return at;
    }
    return source_.size();
  }

  // The text before a tag, as the tag's sign and lstrip_blocks leave it.
  std::string_view text_before(std::string_view text, char sign, bool is_print) const {
    if (sign == '-') return strip_right(text);
    if (sign == '+' || is_print) return text;
    const size_t newline = text.rfind('\n');
    const size_t line_begin = newline == std::string_view::npos ? 0 : newline + 1;
    if (line_begin == 0 && !line_starting_) return text;
    return strip_left(text.substr(line_begin)).empty() ? text.substr(0, line_begin) : text;
  }

  char sign_at(size_t at) const {
    const char c = at < source_.size() ? source_[at] : '\0';
    return c == '-' || c == '+' ? c : '\0';
  }

  Status text_then_tag() {
    const size_t tag = find_tag();
    if (tag == source_.size()) {
      push(TokenKind::kText, std::string(rest()));
      advance(rest().size());
      return {};
    }
    const char type = source_[tag + 1];
    const char sign = sign_at(tag + 2);
    const std::string_view text = text_before(rest().substr(0, tag - at_), sign, type == '{');
    if (!text.empty()) push(TokenKind::kText, std::string(text));
    advance(tag - at_ + 2 + (sign == '\0' ? 0 : 1));
    if (type == '#') return comment();
    if (type == '%' && at_raw()) return raw();
    push(type == '{' ? TokenKind::kPrintBegin : TokenKind::kBlockBegin, "");
    return inside_tag(type == '{');
  }

  // Behind a tag's end: a minus takes all white space, otherwise trim_blocks takes one line end.
  void after_tag(bool minus, bool trim) {
    if (minus) {
      skip_space();
    } else if (trim && looking_at("\n")) {
      advance(1);
    }
    line_starting_ = source_[at_ - 1] == '\n';
  }

  // Jinja forgives a comment or raw block that is opened by the very last characters.
  Status comment() {
    if (at_ == source_.size()) return {};
    const size_t end = source_.find("#}", at_);
    if (end == std::string::npos) return error("a comment is not closed by '#}'");
    // The sign in "{#-#}" was taken by the comment's begin.
    const char sign = end > at_ ? sign_at(end - 1) : '\0';
    advance(end + 2 - at_);
    after_tag(sign == '-', sign != '+');
    return {};
  }

  // True at "raw %}": only then is the block a raw one. Leaves the position alone.
  bool at_raw() const { return raw_tag_size("raw", false) != 0; }

  // The size of `word` and the tag's end that begin here, or 0.
  size_t raw_tag_size(std::string_view word, bool plus_allowed) const {
    std::string_view s = strip_left(rest());
    if (!s.starts_with(word)) return 0;
    s = strip_left(s.substr(word.size()));
    if (s.starts_with("%}")) return rest().size() - s.size() + 2;
    if (s.starts_with("-%}") || (plus_allowed && s.starts_with("+%}"))) return rest().size() - s.size() + 3;
    return 0;
  }

  Status raw() {
    const size_t size = raw_tag_size("raw", false);
    const bool minus = source_[at_ + size - 3] == '-';
    advance(size);
    after_tag(minus, false);  // trim_blocks does not reach behind {% raw %}
    if (at_ == source_.size()) return {};
    const size_t text_begin = at_;
    for (size_t tag = source_.find("{%", at_); tag != std::string::npos; tag = source_.find("{%", tag + 1)) {
      const char sign = sign_at(tag + 2);
      if (end_raw(text_begin, tag, sign)) return {};
    }
    return error("a raw block is not closed by {% endraw %}");
  }

  bool end_raw(size_t text_begin, size_t tag, char sign) {
    const size_t saved_at = at_;
    at_ = tag + 2 + (sign == '\0' ? 0 : 1);
    const size_t size = raw_tag_size("endraw", true);
    const size_t name_at = at_;
    at_ = saved_at;
    if (size == 0) return false;
    const auto text =
        text_before(std::string_view(source_).substr(text_begin, tag - text_begin), sign, false);
    if (!text.empty()) push(TokenKind::kText, std::string(text));
    const char end_sign = source_[name_at + size - 3];
    advance(name_at + size - at_);
    after_tag(end_sign == '-', end_sign != '+');
    return true;
  }

  Status inside_tag(bool is_print) {
    brackets_.clear();
    while (true) {
      skip_space();
      if (at_ == source_.size())
        return error(is_print ? "'{{' is not closed by '}}'" : "'{%' is not closed by '%}'");
      if (brackets_.empty() && tag_end(is_print)) return {};
      HB_TRY(token());
    }
  }

  bool tag_end(bool is_print) {
    const std::string_view end = is_print ? "}}" : "%}";
    const char sign = sign_at(at_);
    const bool signed_end = (sign == '-' || (sign == '+' && !is_print)) && rest().substr(1).starts_with(end);
    if (!signed_end && !looking_at(end)) return false;
    push(is_print ? TokenKind::kPrintEnd : TokenKind::kBlockEnd, "");
    advance(signed_end ? 3 : 2);
    after_tag(signed_end && sign == '-', !is_print && !(signed_end && sign == '+'));
    return true;
  }

  Status token() {
    const char c = source_[at_];
    if (is_decimal(c)) return number();
    if (c == '\'' || c == '"') return string(c);
    char32_t code_point = 0;
    decode_one(source_, at_, code_point);
    if (is_word(code_point)) return name();
    return operator_token();
  }

  Status name() {
    const size_t begin = at_;
    size_t end = at_;
    while (end < source_.size()) {
      char32_t c = 0;
      const size_t size = decode_one(source_, end, c);
      if (!is_word(c)) break;
      end += size;
    }
    if (is_digit(static_cast<unsigned char>(source_[begin]))) return error("a name begins with a digit");
    push(TokenKind::kName, source_.substr(begin, end - begin));
    advance(end - begin);
    return {};
  }

  // Digits with single underscores between them; returns the end.
  template <class IsDigit>
  size_t digits_end(size_t at, IsDigit is_digit_char) const {
    while (at < source_.size()) {
      const bool underscore = source_[at] == '_' && at + 1 < source_.size();
      if (!is_digit_char(source_[at + (underscore ? 1 : 0)])) break;
      at += underscore ? 2 : 1;
    }
    return at;
  }

  static bool is_decimal(char c) { return c >= '0' && c <= '9'; }

  // The end of a float's exponent at `at`, or `at`.
  size_t exponent_end(size_t at) const {
    if (at >= source_.size() || (source_[at] | 0x20) != 'e') return at;
    const size_t digits = at + 1 + (sign_at(at + 1) == '\0' ? 0 : 1);
    if (digits >= source_.size() || !is_decimal(source_[digits])) return at;
    return digits_end(digits, is_decimal);
  }

  size_t float_end() const {
    if (at_ > 0 && source_[at_ - 1] == '.') return 0;  // the second number of a.0.1
    const size_t whole = digits_end(at_, is_decimal);
    size_t end = whole;
    if (end + 1 < source_.size() && source_[end] == '.' && is_decimal(source_[end + 1])) {
      end = digits_end(end + 1, is_decimal);
    }
    end = exponent_end(end);
    return end == whole ? 0 : end;
  }

  size_t integer_end() const {
    if (source_[at_] != '0') return digits_end(at_, is_decimal);
    const char base = at_ + 1 < source_.size() ? static_cast<char>(source_[at_ + 1] | 0x20) : '\0';
    const auto prefixed = [&](auto is_digit_char) {
      const size_t end = digits_end(at_ + 2, is_digit_char);
      return end > at_ + 2 ? end : at_ + 1;
    };
    if (base == 'b') return prefixed([](char c) { return c == '0' || c == '1'; });
    if (base == 'o') return prefixed([](char c) { return c >= '0' && c <= '7'; });
    if (base == 'x')
      return prefixed([](char c) { return is_decimal(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); });
    return digits_end(at_, [](char c) { return c == '0'; });
  }

  Status number() {
    size_t end = float_end();
    const TokenKind kind = end != 0 ? TokenKind::kFloat : TokenKind::kInteger;
    if (end == 0) end = integer_end();
    std::string text = source_.substr(at_, end - at_);
    std::erase(text, '_');
    push(kind, std::move(text));
    advance(end - at_);
    return {};
  }

  Status string(char quote) {
    size_t end = at_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) return error("a string is not closed");
    auto text = unescape(std::string_view(source_).substr(at_ + 1, end - at_ - 1));
    if (!text) return std::unexpected(text.error().within(fmt::format("line {}", line_)));
    push(TokenKind::kString, std::move(*text));
    advance(end + 1 - at_);
    return {};
  }

  Status operator_token() {
    for (const std::string_view op : kOperators) {
      if (!looking_at(op)) continue;
      HB_TRY(balance(op[0]));
      push(TokenKind::kOperator, std::string(op));
      advance(op.size());
      return {};
    }
    char32_t c = 0;
    const size_t size = decode_one(source_, at_, c);
    return error(fmt::format("unexpected character '{}' in a tag", rest().substr(0, size)));
  }

  Status balance(char c) {
    if (c == '(' || c == '[' || c == '{') {
      brackets_.push_back(c == '(' ? ')' : static_cast<char>(c + 2));
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets_.empty()) return error(fmt::format("unexpected '{}'", c));
      if (brackets_.back() != c)
        return error(fmt::format("unexpected '{}', expected '{}'", c, brackets_.back()));
      brackets_.pop_back();
    }
    return {};
  }

  std::string source_;
  size_t at_ = 0;
  uint32_t line_ = 1;
  bool line_starting_ = true;  // the last tag ended with a line end
  std::string brackets_;       // the closing ones that are awaited
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) {
  if (source.size() > kMaxSourceBytes) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the template has {} bytes; the limit is {}", source.size(), kMaxSourceBytes));
  }
  return Lexer(source).run();
}

}  // namespace hb::jinja
