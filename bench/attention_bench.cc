// Attention of one token over the cache, as decoding does it layer after layer.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "backend/cpu/attention.h"
#include "backend/ref/ref_attention.h"
#include "base/check.h"
#include "base/half.h"
#include "bench_report.h"
#include "cases.h"
#include "support/test_data.h"

namespace hb::bench {
namespace {

constexpr uint32_t kDepths[] = {128, 512, 1024, 2048, 4096};
constexpr size_t kCacheBytes = size_t{64} << 20;  // of all layers: more than a core's own caches

struct HeadShape {
  uint32_t heads, kv_heads, head_dim;
};
// SmolLM2-135M, a 1.17B model, gemma-3-270m.
constexpr HeadShape kShapes[] = {{9, 3, 64}, {12, 4, 128}, {4, 1, 256}};

struct AttentionCase {
  const cpu::KernelTable* table;
  HeadShape shape;
  uint32_t depth;  // positions that are seen
};

std::vector<uint16_t> plain_halves(testing::Random& random, size_t count) {
  std::vector<uint16_t> halves(count);
  std::ranges::generate(halves, [&] { return f32_to_f16(random.uniform(-1, 1)); });
  return halves;
}

// Everything that the op needs, with the same keys and values in each layer.
class AttentionSetup {
 public:
  explicit AttentionSetup(const AttentionCase& attention_case)
      : depth_(attention_case.depth),
        row_(attention_case.shape.kv_heads * attention_case.shape.head_dim),
        query_({"query", PlanBuffer::Kind::kF32, attention_case.shape.heads * attention_case.shape.head_dim}),
        out_({"out", PlanBuffer::Kind::kF32, attention_case.shape.heads * attention_case.shape.head_dim}) {
    const HeadShape& shape = attention_case.shape;
    op_ = {0,
           0,
           1,
           shape.heads,
           shape.kv_heads,
           shape.head_dim,
           1.0f / std::sqrt(static_cast<float>(shape.head_dim))};
    shared_.kernels = attention_case.table;
    shared_.pool = ThreadPool::create({}).value();
    testing::Random random(depth_);
    keys_ = plain_halves(random, size_t{depth_} * row_);
    values_ = plain_halves(random, size_t{depth_} * row_);
    fill_cache(shape);
    HB_CHECK(query_.set_rows(1) && out_.set_rows(1));
    std::ranges::copy(testing::make_activations(random, testing::Activations::kPlain, query_.width()),
                      query_.row(0));
  }

  void run(uint32_t layer) {
    op_.layer = layer % layers_;
    attention_->run(op_, *cache_, depth_ - 1, query_, out_, shared_);
  }

  bool is_right() {
    run(layers_ - 1);
    std::vector<float> right(op_.head_dim);
    for (uint32_t head = 0; head < op_.heads; ++head) {
      const uint32_t from = head / (op_.heads / op_.kv_heads) * op_.head_dim;
      const ref::HeadCache cache = {keys_.data() + from, values_.data() + from, row_};
      const size_t begin = size_t{head} * op_.head_dim;
      ref::attention_head(op_, cache, {0, depth_ - 1}, {query_.row(0) + begin, op_.head_dim}, right);
      if (!same_values(right, {out_.row(0) + begin, op_.head_dim})) return false;
    }
    return true;
  }

  size_t layer_bytes() const { return (keys_.size() + values_.size()) * sizeof(uint16_t); }

 private:
  void fill_cache(const HeadShape& shape) {
    layers_ = static_cast<uint32_t>(kCacheBytes / layer_bytes() + 1);
    Plan plan;
    plan.cache_layers.assign(layers_, {shape.kv_heads, shape.head_dim});
    cache_ = std::make_unique<cpu::KvCache>(cpu::KvCache::create(plan.cache_layers, depth_).value());
    attention_ = std::make_unique<cpu::Attention>(cpu::Attention::create(plan, depth_, 1).value());
    for (uint32_t layer = 0; layer < layers_; ++layer) {
      for (uint32_t t = 0; t < depth_; ++t)
        cache_->write(layer, t, &keys_[size_t{t} * row_], &values_[size_t{t} * row_]);
    }
  }

  uint32_t depth_, row_, layers_ = 0;
  AttentionOp op_;
  cpu::Shared shared_;
  std::vector<uint16_t> keys_, values_;  // (depth, kv_heads, head_dim)
  std::unique_ptr<cpu::KvCache> cache_;
  std::unique_ptr<cpu::Attention> attention_;
  cpu::Activation query_, out_;
};

void run_attention(benchmark::State& state, const AttentionCase& attention_case) {
  AttentionSetup setup(attention_case);
  if (!require_right(state, setup.is_right())) return;
  const HeadShape& shape = attention_case.shape;
  const double operations = 4.0 * attention_case.depth * shape.heads * shape.head_dim;
  uint32_t layer = 0;
  time_loop(state, {static_cast<double>(setup.layer_bytes()), operations, false},
            [&] { setup.run(layer++); });
}

}  // namespace

void register_attention() {
  for (const cpu::KernelTable* table : cpu::usable_kernel_tables(detect_cpu_isa())) {
    for (const HeadShape& shape : kShapes) {
      for (const uint32_t depth : kDepths) {
        const AttentionCase attention_case = {table, shape, depth};
        const std::string name = fmt::format("attention_{}/head_dim:{}/heads:{}/kv_heads:{}/depth:{}",
                                             table->isa, shape.head_dim, shape.heads, shape.kv_heads, depth);
        benchmark::RegisterBenchmark(name.c_str(), [attention_case](benchmark::State& state) {
          run_attention(state, attention_case);
        });
      }
    }
  }
}

}  // namespace hb::bench
