#include "backend/opencl/opencl_context.h"

#include <fmt/format.h>

#include <bit>

#include "backend/context_checks.h"
#include "base/check.h"
#include "quant/activation.h"

namespace hb::opencl {
namespace {

// Blocks as quantise.cl stores them.
struct DeviceBlocks {
  std::vector<int8_t> codes;
  std::vector<uint32_t> meta;
};

DeviceBlocks quantise_rows(std::span<const float> values) {
  DeviceBlocks out;
  for (size_t i = 0; i < values.size(); i += kBlockElems) {
    const ActivationBlock block = quantise_block(values.data() + i);
    out.codes.insert(out.codes.end(), block.codes, block.codes + kBlockElems);
    out.meta.insert(out.meta.end(),
                    {std::bit_cast<uint32_t>(block.scale), std::bit_cast<uint32_t>(block.weighted_sum),
                     static_cast<uint32_t>(block.half_sum[0]), static_cast<uint32_t>(block.half_sum[1])});
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<ExecutionContext>> OpenclContext::create(const Plan& plan,
                                                                const std::vector<DeviceWeight>& weights,
                                                                Shared& shared,
                                                                const ContextOptions& options) {
  HB_ASSIGN(Queue queue, Queue::create(shared.device));
  std::unique_ptr<OpenclContext> self(new OpenclContext(plan, weights, shared, std::move(queue)));
  self->options_ = options;
  self->rows_.resize(plan.buffers.size());
  HB_ASSIGN(self->buffers_, ContextBuffers::create(plan, options, self->queue_));
  return self;
}

Status OpenclContext::reserve_outputs(uint32_t rows) {
  HB_ASSIGN(const bool moved, buffers_.reserve_outputs(rows, plan_, queue_));
  if (!moved) return {};
  single_.reset();
  many_.reset();
  return {};
}

Result<const Recording*> OpenclContext::recording_for(uint32_t rows) {
  std::optional<Recording>& recording = rows == 1 ? single_ : many_;
  if (!recording) {
    HB_ASSIGN(std::vector<Dispatch> dispatches,
              record_plan({plan_, weights_, buffers_, shared_.device->facts(), shared_.forced_kernels},
                          rows == 1 ? 1 : max_batch()));
    HB_ASSIGN(recording, Recording::create(*shared_.programs, std::move(dispatches)));
  }
  return &*recording;
}

Status OpenclContext::forward(const Batch& batch) {
  const auto count = static_cast<uint32_t>(batch.tokens.size());
  HB_CHECK(count >= 1 && count <= max_batch());
  HB_CHECK_LE(uint64_t{batch.position} + count, uint64_t{capacity()});
  HB_CHECK_LE(batch.output_count, count);
  for (const int32_t token : batch.tokens)
    HB_CHECK(token >= 0 && static_cast<uint32_t>(token) < plan_.vocab_size);
  HB_TRY(reserve_outputs(batch.output_count));
  HB_ASSIGN(const Recording* const recording, recording_for(count));
  HB_TRY(buffers_.set_batch(batch, plan_, queue_));
  HB_TRY(recording->enqueue({batch.position, count, batch.output_count}, queue_, shared_.enqueue));
  for (size_t i = 0; i < rows_.size(); ++i)
    rows_[i] = plan_.buffers[i].output_rows ? batch.output_count : count;
  return read_logits(plan_.logits == kNone ? 0 : batch.output_count);
}

// Waits for the batch, too.
Status OpenclContext::read_logits(uint32_t rows) {
  logits_.resize(rows == 0 ? 0 : size_t{rows} * plan_.buffers[plan_.logits].width);
  if (rows == 0) return queue_.finish();
  return queue_.read(buffers_.activation(plan_.logits).data, 0, logits_.data(),
                     logits_.size() * sizeof(float));
}

Result<std::vector<float>> OpenclContext::read_buffer(BufferId id) {
  HB_CHECK_LT(size_t{id}, plan_.buffers.size());
  const PlanBuffer& shape = plan_.buffers[id];
  const DeviceActivation& buffer = buffers_.activation(id);
  std::vector<float> values(size_t{rows_[id]} * shape.width);
  if (shape.kind == PlanBuffer::Kind::kF32) {
    HB_TRY(queue_.read(buffer.data, 0, values.data(), values.size() * sizeof(float)));
    return values;
  }
  std::vector<int8_t> codes(values.size());
  std::vector<uint32_t> meta(values.size() / kBlockElems * 4);
  HB_TRY(queue_.read(buffer.data, 0, codes.data(), codes.size()));
  HB_TRY(queue_.read(buffer.meta, 0, meta.data(), meta.size() * 4));
  for (size_t i = 0; i < values.size(); ++i) {
    const float scale = std::bit_cast<float>(meta[i / kBlockElems * 4]);
    values[i] = static_cast<float>(codes[i]) * scale;
  }
  return values;
}

Status OpenclContext::write_buffer(BufferId id, std::span<const float> values) {
  HB_CHECK_LT(size_t{id}, plan_.buffers.size());
  const PlanBuffer& shape = plan_.buffers[id];
  HB_ASSIGN(const uint32_t rows, rows_to_write(shape, values.size(), max_batch()));
  rows_[id] = rows;
  if (shape.output_rows) HB_TRY(reserve_outputs(rows_[id]));
  const DeviceActivation& buffer = buffers_.activation(id);
  if (shape.kind == PlanBuffer::Kind::kF32)
    return queue_.write(buffer.data, 0, values.data(), values.size_bytes());
  const DeviceBlocks blocks = quantise_rows(values);
  HB_TRY(queue_.write(buffer.data, 0, blocks.codes.data(), blocks.codes.size()));
  return queue_.write(buffer.meta, 0, blocks.meta.data(), blocks.meta.size() * 4);
}

Result<std::vector<uint16_t>> OpenclContext::read_cache(uint32_t position, uint32_t count) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  std::vector<uint16_t> rows;
  for (const DeviceCacheLayer& layer : buffers_.cache()) {
    const size_t size = size_t{count} * layer.width;
    for (const Buffer* buffer : {&layer.keys, &layer.values}) {
      rows.resize(rows.size() + size);
      HB_TRY(queue_.read(*buffer, uint64_t{position} * layer.width * 2, rows.data() + rows.size() - size,
                         size * 2));
    }
  }
  return rows;
}

Status OpenclContext::write_cache(uint32_t position, uint32_t count, std::span<const uint16_t> rows) {
  HB_TRY(check_cache_positions(position, count, capacity()));
  HB_TRY(check_cache_values(plan_, count, rows.size()));
  for (const DeviceCacheLayer& layer : buffers_.cache()) {
    const size_t size = size_t{count} * layer.width;
    for (const Buffer* buffer : {&layer.keys, &layer.values}) {
      HB_TRY(queue_.write(*buffer, uint64_t{position} * layer.width * 2, rows.data(), size * 2));
      rows = rows.subspan(size);
    }
  }
  return {};
}

}  // namespace hb::opencl
