#include "model/jinja/percent_format.h"

#include <fmt/format.h>

#include <cmath>

#include "model/jinja/interpreter.h"
#include "model/jinja/operations.h"
#include "model/jinja/print.h"
#include "model/jinja/text.h"

namespace hb::jinja {
namespace {

constexpr int kMaxWidth = 10'000;

struct Spec {
  std::string flags;
  int width = 0;
  int precision = -1;
  char type = 's';

  bool has(char flag) const { return flags.find(flag) != std::string::npos; }
};

class Formatter {
 public:
  Formatter(Interpreter& in, const Value& format, const Value& args)
      : in_(in), format_(format.as_string()), args_(args) {}

  Result<std::string> run() {
    for (size_t literal_end = format_.find('%'); literal_end != std::string::npos;
         literal_end = format_.find('%', at_)) {
      out_ += format_.substr(at_, literal_end - at_);
      at_ = literal_end + 1;
      HB_TRY(conversion());
      HB_TRY(in_.budget().output(out_.size()));
    }
    out_ += format_.substr(at_);
    const size_t given = args_.is(Kind::kTuple) ? args_.items().size() : 1;
    const bool indexable = args_.is(Kind::kDict) || args_.is(Kind::kList) || args_.is(Kind::kRange);
    if (next_ < given && !indexable && !args_.is(Kind::kUndefined)) {
      return wrong("not all arguments converted during string formatting");
    }
    return std::move(out_);
  }

 private:
  char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

  Status conversion() {
    HB_ASSIGN(const std::optional<Value> named, named_argument());
    Spec spec;
    while (peek() != '\0' && std::string_view("-+ #0").find(peek()) != std::string_view::npos)
      spec.flags += format_[at_++];
    HB_TRY(number(spec.width));
    if (peek() == '.') {
      ++at_;
      spec.precision = 0;
      HB_TRY(number(spec.precision));
    }
    spec.type = peek();
    if (spec.type == '\0') return wrong("incomplete format");
    ++at_;
    if (spec.type == '%') {
      out_ += '%';
      return {};
    }
    Value value;
    if (named) {
      value = *named;
    } else {
      HB_ASSIGN(value, next_argument());
    }
    HB_ASSIGN(const std::string text, convert(spec, value));
    pad(spec, text);
    return {};
  }

  Result<std::optional<Value>> named_argument() {
    if (peek() != '(') return std::nullopt;
    const size_t end = format_.find(')', at_);
    if (end == std::string::npos) return wrong("incomplete format key");
    if (!args_.is(Kind::kDict)) return wrong("format requires a mapping");
    const std::string key = format_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    const Value* found = args_.dict().find(key);
    if (found == nullptr) return wrong(fmt::format("the format names '{}', which is missing", key));
    return *found;
  }

  Status number(int& out) {
    if (peek() == '*') return fail(ErrorCode::kUnsupported, "'*' in a format is not supported");
    while (peek() >= '0' && peek() <= '9') {
      out = std::max(out, 0) * 10 + (format_[at_++] - '0');
      if (out > kMaxWidth)
        return fail(ErrorCode::kUnsupported,
                    fmt::format("a format is wider than the limit of {}", kMaxWidth));
    }
    return {};
  }

  Result<Value> next_argument() {
    if (!args_.is(Kind::kTuple)) {
      if (next_++ == 0) return args_;
    } else if (next_ < args_.items().size()) {
      return args_.items()[next_++];
    }
    return wrong("not enough arguments for format string");
  }

  Result<std::string> convert(const Spec& spec, const Value& value) {
    switch (spec.type) {
      case 's':
      case 'r': {
        HB_ASSIGN(std::string text, spec.type == 's' ? to_str(in_, value) : to_repr(in_, value));
        if (spec.precision < 0) return text;
        return to_utf8(to_code_points(text).substr(0, static_cast<size_t>(spec.precision)));
      }
      case 'd':
      case 'i':
      case 'u':
        return integer(spec, value, 'd');
      case 'x':
      case 'X':
      case 'o':
        return integer(spec, value, spec.type);
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
        return real(spec, value);
      default:
        return wrong(fmt::format("unsupported format character '{}'", spec.type));
    }
  }

  static std::string with_sign(const Spec& spec, bool negative, std::string digits) {
    const std::string sign = negative ? "-" : spec.has('+') ? "+" : spec.has(' ') ? " " : "";
    const size_t used = sign.size() + digits.size();
    if (spec.has('0') && !spec.has('-') && used < static_cast<size_t>(spec.width)) {
      digits.insert(0, static_cast<size_t>(spec.width) - used, '0');
    }
    return sign + digits;
  }

  Result<std::string> integer(const Spec& spec, const Value& value, char base) {
    if (!value.number() || (base != 'd' && !value.integral())) {
      return wrong(fmt::format("%{} format: a number is required, not {}", spec.type, type_name(value)));
    }
    if (value.is(Kind::kFloat) && !(std::fabs(value.as_double()) < 9e18))
      return wrong("the float is no 64-bit integer");
    const int64_t number = value.is(Kind::kFloat) ? static_cast<int64_t>(value.as_double()) : value.as_int();
    const uint64_t magnitude = number < 0 ? 0 - static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
    std::string digits = base == 'x'   ? fmt::format("{:x}", magnitude)
                         : base == 'X' ? fmt::format("{:X}", magnitude)
                         : base == 'o' ? fmt::format("{:o}", magnitude)
                                       : fmt::format("{}", magnitude);
    if (spec.precision > 0 && digits.size() < static_cast<size_t>(spec.precision)) {
      digits.insert(0, static_cast<size_t>(spec.precision) - digits.size(), '0');
    }
    if (spec.has('#') && base != 'd') digits.insert(0, base == 'o' ? "0o" : base == 'x' ? "0x" : "0X");
    return with_sign(spec, number < 0, std::move(digits));
  }

  Result<std::string> real(const Spec& spec, const Value& value) {
    if (value.is(Kind::kUndefined)) return undefined_error(value);
    if (!value.number()) return wrong(fmt::format("must be real number, not {}", type_name(value)));
    const double d = value.as_double();
    const int precision = spec.precision < 0 ? 6 : spec.precision;
    const std::string form = fmt::format("{{:.{}{}}}", precision, spec.type);
    std::string digits = fmt::format(fmt::runtime(form), std::fabs(d));
    return with_sign(spec, std::signbit(d) && !std::isnan(d), std::move(digits));
  }

  void pad(const Spec& spec, const std::string& text) {
    const size_t size = count_code_points(text);
    const size_t fill = size < static_cast<size_t>(spec.width) ? static_cast<size_t>(spec.width) - size : 0;
    if (!spec.has('-')) out_.append(fill, ' ');
    out_ += text;
    if (spec.has('-')) out_.append(fill, ' ');
  }

  Interpreter& in_;
  const std::string& format_;
  const Value& args_;
  std::string out_;
  size_t at_ = 0;
  size_t next_ = 0;
};

}  // namespace

Result<Value> percent_format(Interpreter& in, const Value& format, const Value& args) {
  HB_ASSIGN(std::string text, Formatter(in, format, args).run());
  return in.text(std::move(text), format.markup());
}

}  // namespace hb::jinja
