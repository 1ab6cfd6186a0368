#include "base/cpu_mask.h"

#include <fmt/format.h>
#include <sched.h>

#include <cerrno>
#include <cstring>

namespace hb {
namespace {

// The value of a hexadecimal digit, or -1.
int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<CpuMask> CpuMask::parse(std::string_view hex) {
  std::string_view digits = hex;
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  if (digits.empty() || digits.size() > kMaxCpus / 4) {
    return fail(
        ErrorCode::kInvalidArgument,
        fmt::format("'{}' is not a CPU mask: 1 to {} hexadecimal digits, such as f0 for the CPUs 4 to 7", hex,
                    kMaxCpus / 4));
  }
  CpuMask mask;
  for (const char c : digits) {
    const int value = hex_value(c);
    if (value < 0) {
      return fail(ErrorCode::kInvalidArgument,
                  fmt::format("'{}' is not a CPU mask: '{}' is no hexadecimal digit", hex, c));
    }
    mask.bits_ = mask.bits_ << 4 | std::bitset<kMaxCpus>(static_cast<unsigned>(value));
  }
  return mask;
}

CpuMask CpuMask::of_this_thread() {
  CpuMask mask;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return mask;
  for (uint32_t cpu = 0; cpu < kMaxCpus; ++cpu) mask.bits_.set(cpu, CPU_ISSET(cpu, &set));
  return mask;
}

std::string CpuMask::to_hex() const {
  std::string hex;
  for (uint32_t digit = kMaxCpus / 4; digit-- > 0;) {
    unsigned value = 0;
    for (uint32_t bit = 0; bit < 4; ++bit) value |= static_cast<unsigned>(bits_.test(digit * 4 + bit)) << bit;
    if (value != 0 || !hex.empty() || digit == 0) hex += "0123456789abcdef"[value];
  }
  return hex;
}

CpuMask CpuMask::operator&(const CpuMask& other) const {
  CpuMask both;
  both.bits_ = bits_ & other.bits_;
  return both;
}

Status CpuMask::apply_to_this_thread() const {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (uint32_t cpu = 0; cpu < kMaxCpus; ++cpu) {
    if (contains(cpu)) CPU_SET(cpu, &set);
  }
  if (::sched_setaffinity(0, sizeof set, &set) == 0) return {};
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("cannot run on the CPUs of mask {}: {} (this process may use mask {})", to_hex(),
                          std::strerror(errno), of_this_thread().to_hex()));
}

}  // namespace hb
