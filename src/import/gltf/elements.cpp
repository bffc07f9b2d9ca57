// Reads elements of accessors as floats and unsigned integers. There is one loop per component type and width. The
// common case, tightly packed floats, is one copy.
#include <algorithm>
#include <cstring>
#include <limits>

#include "import/gltf/data.hpp"

namespace assetc::importer {
namespace {

template <class T>
float to_float(T value, bool normalized) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    const auto f = static_cast<float>(value);
    if (!normalized) return f;
    // glTF 2.0, 3.11: the most negative value of a signed type also becomes -1.
    const float scaled = f / static_cast<float>(std::numeric_limits<T>::max());
    return std::is_signed_v<T> && scaled < -1.0f ? -1.0f : scaled;
  }
}

template <class T, bool kNormalized, std::size_t kWidth>
void vector_floats(const std::byte* from, std::size_t stride, std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i, from += stride, out += kWidth) {
    T row[kWidth];
    std::memcpy(row, from, sizeof row);
    for (std::size_t k = 0; k < kWidth; ++k) out[k] = to_float(row[k], kNormalized);
  }
}

template <class T, bool kNormalized>
void element_floats(const Accessor& a, const std::byte* from, std::size_t stride, std::size_t count, float* out) {
  if (a.columns == 1) {
    switch (a.rows) {
      case 1:
        return vector_floats<T, kNormalized, 1>(from, stride, count, out);
      case 2:
        return vector_floats<T, kNormalized, 2>(from, stride, count, out);
      case 3:
        return vector_floats<T, kNormalized, 3>(from, stride, count, out);
      default:
        return vector_floats<T, kNormalized, 4>(from, stride, count, out);
    }
  }
  const std::size_t column_stride = a.column_bytes();
  for (std::size_t i = 0; i < count; ++i, from += stride) {
    for (std::size_t column = 0; column < a.columns; ++column) {
      for (std::size_t row = 0; row < a.rows; ++row) {
        T value;
        std::memcpy(&value, from + column * column_stride + row * sizeof(T), sizeof value);
        *out++ = to_float(value, kNormalized);
      }
    }
  }
}

void floats_from(const Accessor& a, ByteSpan data, std::size_t stride, std::size_t count, float* out) {
  if (a.component == Component::kF32 && a.columns == 1 && stride == a.element_bytes()) {
    if (count != 0) std::memcpy(out, data.data(), count * stride);
    return;
  }
  const auto run = [&]<class T>(T) {
    return a.normalized ? element_floats<T, true>(a, data.data(), stride, count, out)
                        : element_floats<T, false>(a, data.data(), stride, count, out);
  };
  switch (a.component) {
    case Component::kI8:
      return run(std::int8_t{});
    case Component::kU8:
      return run(std::uint8_t{});
    case Component::kI16:
      return run(std::int16_t{});
    case Component::kU16:
      return run(std::uint16_t{});
    case Component::kU32:
      return run(std::uint32_t{});
    case Component::kF32:
      return run(float{});
  }
}

template <class T>
void element_uints(const Accessor& a, const std::byte* from, std::size_t stride, std::size_t count,
                   std::uint32_t* out) {
  for (std::size_t i = 0; i < count; ++i, from += stride) {
    for (std::size_t k = 0; k < a.rows; ++k) {
      T value;
      std::memcpy(&value, from + k * sizeof(T), sizeof value);
      *out++ = value;
    }
  }
}

void uints_from(const Accessor& a, ByteSpan data, std::size_t stride, std::size_t count, std::uint32_t* out) {
  switch (a.component) {
    case Component::kU32:
      if (stride == a.element_bytes()) {
        if (count != 0) std::memcpy(out, data.data(), count * stride);
        return;
      }
      return element_uints<std::uint32_t>(a, data.data(), stride, count, out);
    case Component::kU16:
      return element_uints<std::uint16_t>(a, data.data(), stride, count, out);
    default:
      return element_uints<std::uint8_t>(a, data.data(), stride, count, out);
  }
}

template <class T, class Convert>
Result<void> read_elements(const Accessor& a, std::size_t width, std::span<T> out, Convert convert) {
  if (a.data.empty()) {
    std::fill(out.begin(), out.end(), T{});
  } else {
    convert(a, a.data.span(), a.stride_bytes, static_cast<std::size_t>(a.count), out.data());
  }
  if (!a.sparse) return {};
  const auto sparse_count = static_cast<std::size_t>(a.sparse->count);
  Accessor index_type;
  index_type.component = a.sparse->index_component;
  std::vector<std::uint32_t> indices(sparse_count);
  uints_from(index_type, a.sparse->indices, index_type.element_bytes(), sparse_count, indices.data());
  std::vector<T> values(sparse_count * width);
  convert(a, a.sparse->values.span(), a.element_bytes(), sparse_count, values.data());
  for (std::size_t i = 0; i < sparse_count; ++i) {
    if (indices[i] >= a.count) {
      return fail_at(ErrorCode::kInvalidData, a.place + "/sparse/indices",
                     "item " + std::to_string(i) + " is " + std::to_string(indices[i]) + ", expected an index below " +
                         std::to_string(a.count));
    }
    std::memcpy(out.data() + indices[i] * width, values.data() + i * width, width * sizeof(T));
  }
  return {};
}

}  // namespace

Result<void> read_bytes(const Accessor& accessor, std::span<std::byte> out) {
  const std::size_t column_bytes = accessor.rows * component_bytes(accessor.component);
  const auto convert = [&](const Accessor& a, ByteSpan data, std::size_t stride, std::size_t count, std::byte* to) {
    const std::byte* from = data.data();
    for (std::size_t i = 0; i < count; ++i, from += stride) {
      for (std::size_t column = 0; column < accessor.columns; ++column, to += column_bytes)
        std::memcpy(to, from + column * a.column_bytes(), column_bytes);
    }
  };
  return read_elements(accessor, column_bytes * accessor.columns, out, convert);
}

Result<void> read_floats(const Accessor& accessor, std::size_t width, std::span<float> out) {
  return read_elements(accessor, width, out, floats_from);
}

Result<void> read_uints(const Accessor& accessor, std::size_t width, std::span<std::uint32_t> out) {
  return read_elements(accessor, width, out, uints_from);
}

}  // namespace assetc::importer
