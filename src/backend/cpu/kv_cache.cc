#include "backend/cpu/kv_cache.h"

#include <cstring>

#include "backend/cpu/lane_order.h"

namespace hb::cpu {

Result<KvCache> KvCache::create(const std::vector<CacheLayer>& layers, uint32_t capacity) {
  KvCache cache;
  cache.capacity_ = capacity;
  const size_t positions = (size_t{capacity} + kSpan - 1) / kSpan * kSpan;
  for (const CacheLayer& shape : layers) {
    Layer layer = {shape, positions * shape.head_dim, positions * padded_head_dim(shape.head_dim), {}, {},
                   {}};
    layer.key_slots.resize(shape.head_dim);
    for_each_in_lane_order(shape.head_dim, [&](uint32_t d, uint32_t slot) { layer.key_slots[d] = slot; });
    HB_ASSIGN(layer.keys, AlignedBuffer::allocate(layer.key_head_elems * shape.kv_heads * sizeof(uint16_t)));
    HB_ASSIGN(layer.values,
              AlignedBuffer::allocate(layer.value_head_elems * shape.kv_heads * sizeof(uint16_t)));
    cache.layers_.push_back(std::move(layer));
  }
  return cache;
}

size_t KvCache::key_index(const Layer& layer, uint32_t head, uint32_t position, uint32_t d) const {
  return head * layer.key_head_elems + size_t{position / 16} * 16 * layer.shape.head_dim +
         16 * layer.key_slots[d] + position % 16;
}

size_t KvCache::value_index(const Layer& layer, uint32_t head, uint32_t position) const {
  const uint32_t lane = position % kSpan / kSpanLane;
  const uint32_t slot = position - position % kSpan + visit_of_lane(lane) * kSpanLane + position % kSpanLane;
  return head * layer.value_head_elems + size_t{slot} * padded_head_dim(layer.shape.head_dim);
}

const uint16_t* KvCache::keys(uint32_t layer, uint32_t head) const {
  return layers_[layer].keys.as<uint16_t>().data() + head * layers_[layer].key_head_elems;
}

const uint16_t* KvCache::values(uint32_t layer, uint32_t head) const {
  return layers_[layer].values.as<uint16_t>().data() + head * layers_[layer].value_head_elems;
}

void KvCache::write(uint32_t layer_index, uint32_t position, const uint16_t* keys, const uint16_t* values) {
  Layer& layer = layers_[layer_index];
  uint16_t* key_data = layer.keys.as<uint16_t>().data();
  uint16_t* value_data = layer.values.as<uint16_t>().data();
  const uint32_t head_dim = layer.shape.head_dim;
  for (uint32_t head = 0; head < layer.shape.kv_heads; ++head) {
    uint16_t* column = key_data + key_index(layer, head, position, 0);
    for (uint32_t d = 0; d < head_dim; ++d) column[16 * layer.key_slots[d]] = keys[head * head_dim + d];
    std::memcpy(value_data + value_index(layer, head, position), values + head * head_dim,
                head_dim * sizeof(uint16_t));
  }
}

size_t KvCache::row_elems() const {
  size_t elems = 0;
  for (const Layer& layer : layers_) elems += size_t{2} * layer.shape.kv_heads * layer.shape.head_dim;
  return elems;
}

std::vector<uint16_t> KvCache::read_rows(uint32_t position, uint32_t count) const {
  std::vector<uint16_t> rows;
  rows.reserve(count * row_elems());
  for (const Layer& layer : layers_) {
    const auto keys = layer.keys.as<uint16_t>();
    const auto values = layer.values.as<uint16_t>();
    const uint32_t heads = layer.shape.kv_heads, head_dim = layer.shape.head_dim;
    for (uint32_t p = position; p < position + count; ++p) {
      for (uint32_t head = 0; head < heads; ++head) {
        for (uint32_t d = 0; d < head_dim; ++d) rows.push_back(keys[key_index(layer, head, p, d)]);
      }
    }
    for (uint32_t p = position; p < position + count; ++p) {
      for (uint32_t head = 0; head < heads; ++head) {
        const uint16_t* row = values.data() + value_index(layer, head, p);
        rows.insert(rows.end(), row, row + head_dim);
      }
    }
  }
  return rows;
}

void KvCache::write_rows(uint32_t position, uint32_t count, const uint16_t* rows) {
  for (uint32_t l = 0; l < layers_.size(); ++l) {
    const size_t width = size_t{layers_[l].shape.kv_heads} * layers_[l].shape.head_dim;
    for (uint32_t i = 0; i < count; ++i) write(l, position + i, rows + i * width, rows + (count + i) * width);
    rows += 2 * count * width;
  }
}

}  // namespace hb::cpu
