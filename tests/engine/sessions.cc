#include "engine/sessions.h"

#include <bit>

#include "backend/cpu/kernel_table.h"
#include "backend/ref/ref_backend.h"
#include "base/check.h"
#include "support/test_data.h"

namespace hb::test {

std::shared_ptr<Backend> reference_backend() { return make_ref_backend(); }

std::shared_ptr<Backend> cpu_backend(uint32_t threads, const std::string& isa) {
  CpuBackendOptions options;
  options.threads = threads;
  options.isa = isa;
  auto backend = make_cpu_backend(options);
  HB_CHECK(backend.has_value());
  return std::move(*backend);
}

std::vector<std::string> usable_isas() {
  std::vector<std::string> names;
  for (const cpu::KernelTable* table : cpu::usable_kernel_tables(detect_cpu_isa()))
    names.emplace_back(table->isa);
  return names;
}

std::shared_ptr<const Model> load(const std::string& path, std::shared_ptr<Backend> backend) {
  auto model = Model::load(path, std::move(backend));
  if (!model) ADD_FAILURE() << model.error().message;
  HB_CHECK(model.has_value());
  return *model;
}

Session new_session(std::shared_ptr<const Model> model, const SessionOptions& options) {
  auto session = Session::create(std::move(model), options);
  if (!session) ADD_FAILURE() << session.error().message;
  HB_CHECK(session.has_value());
  return std::move(*session);
}

std::vector<int32_t> random_tokens(uint32_t count, uint32_t vocab, uint64_t seed) {
  hb::testing::Random random(seed);
  std::vector<int32_t> tokens(count);
  for (int32_t& token : tokens) token = static_cast<int32_t>(random.below(vocab));
  return tokens;
}

ModelFile::ModelFile(const TinyModel& model) {
  const Status written = write_tiny_model(path(), model);
  HB_CHECK(written.has_value());
}

LogitRows logits_of_each(Session& session, const std::vector<int32_t>& tokens) {
  LogitRows rows;
  const Status status = session.append_with_logits(
      tokens, [&rows](uint32_t, std::span<const float> logits) { rows.push_back(copy_of(logits)); });
  if (!status) ADD_FAILURE() << status.error().message;
  return rows;
}

std::vector<float> copy_of(std::span<const float> logits) { return {logits.begin(), logits.end()}; }

::testing::AssertionResult same_bits(std::span<const float> expected, std::span<const float> actual) {
  if (expected.size() != actual.size()) {
    return ::testing::AssertionFailure() << expected.size() << " logits against " << actual.size();
  }
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::bit_cast<uint32_t>(expected[i]) == std::bit_cast<uint32_t>(actual[i])) continue;
    return ::testing::AssertionFailure()
           << "logit " << i << " is " << actual[i] << " instead of " << expected[i];
  }
  if (hash_logits(expected) == hash_logits(actual)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "equal logits with different hashes";
}

::testing::AssertionResult same_bits(const LogitRows& expected, const LogitRows& actual) {
  if (expected.size() != actual.size()) {
    return ::testing::AssertionFailure() << expected.size() << " rows of logits against " << actual.size();
  }
  for (size_t row = 0; row < expected.size(); ++row) {
    const auto same = same_bits(expected[row], actual[row]);
    if (!same) return ::testing::AssertionFailure() << "position " << row << ": " << same.message();
  }
  return ::testing::AssertionSuccess();
}

}  // namespace hb::test
