// The models that halfbyte knows by name, and the Python packages that carry them.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace hb {

// One wheel that holds a piece of a model.
struct ModelPiece {
  std::string_view package;  // on the user's package index
  std::string_view version;
  std::string_view member;  // path of the piece inside the wheel
  uint64_t wheel_bytes;     // size of the wheel, for the progress bar only
};

struct CatalogueModel {
  std::string_view name;         // what the user types
  std::string_view description;  // one line
  std::string_view license;
  std::string_view file_name;  // in the cache folder
  uint64_t size_bytes;
  std::string_view sha256;             // of the whole file, lower-case hex
  std::span<const ModelPiece> pieces;  // joined in this order
};

std::span<const CatalogueModel> catalogue();

// Null if there is none of that name.
const CatalogueModel* find_catalogue_model(std::string_view name);

}  // namespace hb
