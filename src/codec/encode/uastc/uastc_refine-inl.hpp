// Refinement: fits one mode thoroughly to many blocks and returns the results as bytes. Included once per SIMD target.
#if defined(ASSETC_CODEC_UASTC_REFINE_INL_HPP_) == defined(HWY_TARGET_TOGGLE)
#ifdef ASSETC_CODEC_UASTC_REFINE_INL_HPP_
#undef ASSETC_CODEC_UASTC_REFINE_INL_HPP_
#else
#define ASSETC_CODEC_UASTC_REFINE_INL_HPP_
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "codec/encode/uastc/uastc_bc7_error-inl.hpp"
#include "codec/encode/uastc/uastc_estimate-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace assetc::codec::HWY_NAMESPACE {

// Splits the channels of every lane into the one with its own weights and the rest, and fits both. If bc7 is not null,
// it receives the error after transcoding to BC7.
template <int C, int kBits, int R>
HWY_NOINLINE void fit_dual_plane(V plane, const Channels<C>& ch, const FitEffort& effort, Fit<C - 1, 1>& rest_fit,
                                 Fit<1, 1>& second_fit, V* bc7 = nullptr) {
  alignas(64) Row texels[C][16];
  Channels<C - 1> rest;
  Channels<1> second;
  second.texels[0] = texels[C - 1];
  second.weight[0] = second.root[0] = zero();
  for (int k = 0; k < C - 1; ++k) {
    const M skip = hn::Le(plane, set(static_cast<float>(k)));
    rest.texels[k] = texels[k];
    rest.weight[k] = hn::IfThenElse(skip, ch.weight[k + 1], ch.weight[k]);
    rest.root[k] = hn::IfThenElse(skip, ch.root[k + 1], ch.root[k]);
    for (int t = 0; t < 16; ++t)
      store(hn::IfThenElse(skip, load(ch.texels[k + 1][t]), load(ch.texels[k][t])), texels[k][t]);
  }
  for (int c = 0; c < C; ++c) {
    const M own = hn::Eq(plane, set(static_cast<float>(c)));
    second.weight[0] = hn::IfThenElse(own, ch.weight[c], second.weight[0]);
    second.root[0] = hn::IfThenElse(own, ch.root[c], second.root[0]);
    for (int t = 0; t < 16; ++t)
      store(c == 0 ? load(ch.texels[c][t]) : hn::IfThenElse(own, load(ch.texels[c][t]), load(texels[C - 1][t])),
            texels[C - 1][t]);
  }
  alignas(64) Row position[16];
  const Subsets<1> whole{};
  const Moments<C - 1> rest_moments[1] = {measure<C - 1>(rest.texels)};
  project<C - 1, 1>(rest, whole, rest_moments, 3, position);
  fit<C - 1, 1, kBits, R>(rest, whole, rest_moments, position, effort, rest_fit);
  const Moments<1> second_moments[1] = {measure<1>(second.texels)};
  project<1, 1>(second, whole, second_moments, 3, position);
  fit<1, 1, kBits, R>(second, whole, second_moments, position, effort, second_fit);
  if (bc7 != nullptr)
    *bc7 = add(measure_bc7_error<C - 1, 1, kBits, R>(rest, whole, rest_fit.level, rest_fit.weight, Bc7Ends::k7),
               measure_bc7_error<1, 1, kBits, R>(second, whole, second_fit.level, second_fit.weight, Bc7Ends::kExact));
}

// The input and output of refining a group of blocks.
struct RefineGroup {
  Group group;
  std::uint16_t in[2][kLanes];  // texels of subsets 1 and 2
  alignas(64) Row plane;
  alignas(64) Row error, bc7_error;
  alignas(64) Row level[20];
  alignas(64) Row weight[32];
  alignas(64) Row decoded[4][16];
};

// Fills in the channels that the mode's components represent from those that were fitted.
template <int C>
HWY_INLINE void spread_channels(RefineGroup& f) {
  for (int t = 0; t < 16; ++t) {
    if constexpr (C == 2) {
      store(load(f.decoded[1][t]), f.decoded[3][t]);
      store(load(f.decoded[0][t]), f.decoded[1][t]);
      store(load(f.decoded[0][t]), f.decoded[2][t]);
    } else if constexpr (C == 3) {
      store(set(255.0f), f.decoded[3][t]);
    }
  }
}

template <int C>
HWY_INLINE Channels<C> channels_of(const Group& g, const SearchSettings& settings) {
  if constexpr (C == 2)
    return gray_alpha_channels(g, settings);
  else
    return first_channels<C>(g, settings);
}

template <int C, int S, int kBits, int R>
HWY_NOINLINE void refine_mode(const SearchSettings& settings, unsigned mode, RefineGroup& f) {
  const Channels<C> ch = channels_of<C>(f.group, settings);
  Subsets<S> subsets{};
  Moments<C> moments[S];
  moments[0] = measure<C>(ch.texels);
  for (int s = 1; s < S; ++s) {
    membership(f.in[s - 1], subsets.in[s - 1]);
    moments[s] = measure_where<C>(ch.texels, subsets.in[s - 1]);
    moments[0] = minus(moments[0], moments[s]);
  }
  alignas(64) Row position[16];
  project<C, S>(ch, subsets, moments, 5, position);
  Fit<C, S> result;
  fit<C, S, kBits, R>(ch, subsets, moments, position, settings.refinement, result);
  store(result.error, f.error);
  if (settings.bc7_fraction > 0)
    store(measure_bc7_error<C, S, kBits, R>(ch, subsets, result.level, result.weight, bc7_ends_of<C, S, kBits>(mode)),
          f.bc7_error);
  for (int k = 0; k < S * C * 2; ++k) store(result.level[k], f.level[k]);
  for (int t = 0; t < 16; ++t) store(load(result.weight[t]), f.weight[t]);
  Row* out[C];
  for (int c = 0; c < C; ++c) out[c] = f.decoded[c];
  decode_fit<C, S, kBits, R>(subsets, result.level, result.weight, out);
  spread_channels<C>(f);
}

template <int C, int kBits, int R>
HWY_NOINLINE void refine_dual_plane(const SearchSettings& settings, RefineGroup& f) {
  const Channels<C> ch = channels_of<C>(f.group, settings);
  const V plane = load(f.plane);
  Fit<C - 1, 1> rest;
  Fit<1, 1> second;
  V bc7 = zero();
  fit_dual_plane<C, kBits, R>(plane, ch, settings.refinement, rest, second, settings.bc7_fraction > 0 ? &bc7 : nullptr);
  store(add(rest.error, second.error), f.error);
  store(bc7, f.bc7_error);
  alignas(64) Row rest_decoded[C - 1][16];
  alignas(64) Row second_decoded[16];
  Row* rest_out[C - 1];
  for (int c = 0; c < C - 1; ++c) rest_out[c] = rest_decoded[c];
  Row* second_out[1] = {second_decoded};
  const Subsets<1> whole{};
  decode_fit<C - 1, 1, kBits, R>(whole, rest.level, rest.weight, rest_out);
  decode_fit<1, 1, kBits, R>(whole, second.level, second.weight, second_out);
  for (int c = 0; c < C; ++c) {
    const M own = hn::Eq(plane, set(static_cast<float>(c)));
    const M after = hn::Lt(plane, set(static_cast<float>(c)));
    // Channel c is channel c of the rest or, after the separate channel, c - 1.
    const int here = c < C - 1 ? c : c - 1, before = c > 0 ? c - 1 : 0;
    const auto choose = [&](V at_here, V at_before, V apart)
                            HWY_ATTR { return hn::IfThenElse(own, apart, hn::IfThenElse(after, at_before, at_here)); };
    for (int end = 0; end < 2; ++end)
      store(choose(rest.level[here * 2 + end], rest.level[before * 2 + end], second.level[end]), f.level[c * 2 + end]);
    for (int t = 0; t < 16; ++t)
      store(choose(load(rest_decoded[here][t]), load(rest_decoded[before][t]), load(second_decoded[t])),
            f.decoded[c][t]);
  }
  spread_channels<C>(f);
  for (int t = 0; t < 16; ++t) {
    store(load(rest.weight[t]), f.weight[t * 2]);
    store(load(second.weight[t]), f.weight[t * 2 + 1]);
  }
}

// Packs rows of integers below 256 into words of each lane, four rows in a word. count must be a multiple of four.
HWY_INLINE void store_words(const Row* rows, std::size_t count, std::int32_t (*out)[kLanes]) {
  const hn::RebindToSigned<D> di;
  for (std::size_t i = 0; i < count; i += 4, ++out) {
    const auto byte = [&](std::size_t k) HWY_ATTR { return hn::ConvertTo(di, load(rows[i + k])); };
    const auto low = hn::Or(byte(0), hn::ShiftLeft<8>(byte(1)));
    const auto high = hn::Or(hn::ShiftLeft<16>(byte(2)), hn::ShiftLeft<24>(byte(3)));
    hn::Store(hn::Or(low, high), di, *out);
  }
}
// Copies one lane of such words as bytes.
HWY_INLINE void copy_words(const std::int32_t (*words)[kLanes], std::size_t lane, std::size_t count,
                           std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) std::memcpy(out + 4 * i, &words[i][lane], 4);
}

void RefineUastc(std::span<const PlanarBlock> blocks, std::span<const RefineJob> jobs, const SearchSettings& settings,
                 std::span<BlockChoice> best, std::span<PlanarBlock> decoded) {
  const unsigned mode = jobs.front().mode;
  RefineGroup f;
  for (Row& row : f.level) store(zero(), row);
  store(zero(), f.bc7_error);
  const bool dual = mode == 6 || mode == 11 || mode == 13 || mode == 17;
  const unsigned values = mode == 3                             ? 18
                          : mode == 9                           ? 16
                          : mode == 2 || mode == 4 || mode == 7 ? 12
                          : mode >= 10 && mode <= 14            ? 8
                          : mode == 16                          ? 8
                          : mode == 15 || mode == 17            ? 4
                                                                : 6;
  for (std::size_t first = 0; first < jobs.size(); first += kLanes) {
    const std::size_t count = HWY_MIN(kLanes, jobs.size() - first);
    alignas(64) std::int32_t index[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const RefineJob& job = jobs[first + HWY_MIN(lane, count - 1)];
      index[lane] = static_cast<std::int32_t>(job.block);
      f.plane[lane] = job.second_plane;
      f.in[0][lane] = mode == 3                                           ? kPartitions3[job.partition][0]
                      : mode == 7                                         ? kPartitions7[job.partition]
                      : mode == 2 || mode == 4 || mode == 9 || mode == 16 ? kPartitions2[job.partition]
                                                                          : std::uint16_t{0};
      f.in[1][lane] = mode == 3 ? kPartitions3[job.partition][1] : std::uint16_t{0};
    }
    load_group(blocks.data(), index, f.group);
    switch (mode) {
      case 0:
        refine_mode<3, 1, 4, 19>(settings, mode, f);
        break;
      case 1:
        refine_mode<3, 1, 2, 20>(settings, mode, f);
        break;
      case 2:
        refine_mode<3, 2, 3, 8>(settings, mode, f);
        break;
      case 3:
        refine_mode<3, 3, 2, 7>(settings, mode, f);
        break;
      case 4:
      case 7:
        refine_mode<3, 2, 2, 12>(settings, mode, f);
        break;
      case 5:
        refine_mode<3, 1, 3, 20>(settings, mode, f);
        break;
      case 6:
        refine_dual_plane<3, 2, 18>(settings, f);
        break;
      case 9:
        refine_mode<4, 2, 2, 8>(settings, mode, f);
        break;
      case 10:
        refine_mode<4, 1, 4, 13>(settings, mode, f);
        break;
      case 11:
        refine_dual_plane<4, 2, 13>(settings, f);
        break;
      case 12:
        refine_mode<4, 1, 3, 19>(settings, mode, f);
        break;
      case 13:
        refine_dual_plane<4, 1, 20>(settings, f);
        break;
      case 14:
        refine_mode<4, 1, 2, 20>(settings, mode, f);
        break;
      case 15:
        refine_mode<2, 1, 4, 20>(settings, mode, f);
        break;
      case 16:
        refine_mode<2, 2, 2, 20>(settings, mode, f);
        break;
      case 17:
        refine_dual_plane<2, 2, 20>(settings, f);
        break;
      default:
        refine_mode<3, 1, 5, 11>(settings, mode, f);
        break;
    }
    alignas(64) Row cost;
    store(add(load(f.error), mul(load(f.bc7_error), set(settings.bc7_fraction))), cost);
    std::size_t winners[kLanes], winner_count = 0;
    for (std::size_t lane = 0; lane < count; ++lane) {
      winners[winner_count] = lane;
      winner_count += cost[lane] < best[jobs[first + lane].block].cost;
    }
    if (winner_count == 0) continue;
    const std::size_t weights = dual ? 32 : 16;
    alignas(64) std::int32_t level_words[5][kLanes];
    alignas(64) std::int32_t weight_words[8][kLanes];
    alignas(64) std::int32_t texel_words[16][kLanes];
    store_words(f.level, (values + 3) / 4 * 4, level_words);
    store_words(f.weight, weights, weight_words);
    store_words(f.decoded[0], 64, texel_words);
    for (const std::size_t lane : std::span(winners).first(winner_count)) {
      const RefineJob& job = jobs[first + lane];
      BlockChoice& choice = best[job.block];
      choice.mode = static_cast<std::uint8_t>(mode);
      choice.partition = f.in[0][lane] != 0 ? job.partition : std::uint8_t{0};
      choice.second_plane = dual ? job.second_plane : std::uint8_t{0};
      copy_words(level_words, lane, (values + 3) / 4, choice.endpoints.data());
      copy_words(weight_words, lane, weights / 4, choice.weights.data());
      copy_words(texel_words, lane, 16, decoded[job.block].texels.data());
      choice.error = f.error[lane];
      choice.bc7_error = f.bc7_error[lane];
      choice.cost = cost[lane];
    }
  }
}

}  // namespace assetc::codec::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
