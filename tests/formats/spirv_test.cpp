#include "assetc/formats/spirv.hpp"

#include "formats/support.hpp"

namespace assetc::spirv {
namespace {

using namespace formats_test;

// Builds a module word by word.
class Words {
 public:
  explicit Words(std::uint32_t bound = 100) { words_ = {kMagic, 0x00010500, 0, bound, 0}; }
  Words& op(std::uint32_t code, std::initializer_list<std::uint32_t> operands, std::string_view text = {}) {
    std::vector<std::uint32_t> all(operands);
    if (!text.empty()) {
      std::vector<std::uint32_t> packed(text.size() / 4 + 1);
      std::memcpy(packed.data(), text.data(), text.size());
      all.insert(all.end(), packed.begin(), packed.end());
    }
    words_.push_back(static_cast<std::uint32_t>(all.size() + 1) << 16 | code);
    words_.insert(words_.end(), all.begin(), all.end());
    return *this;
  }
  Words& interface(std::initializer_list<std::uint32_t> ids) {
    words_[entry_] += static_cast<std::uint32_t>(ids.size()) << 16;
    words_.insert(words_.end(), ids);
    return *this;
  }
  Words& entry(std::uint32_t model, std::uint32_t id) {
    entry_ = words_.size();
    return op(15, {model, id}, "main");
  }
  ByteSpan bytes() const { return std::as_bytes(std::span(words_)); }
  std::vector<std::uint32_t>& words() { return words_; }

 private:
  std::vector<std::uint32_t> words_;
  std::size_t entry_ = 0;
};

// layout(local_size_x = 8, local_size_y = id 3 or 4) in; a buffer, an array of two textures, a push constant of a mat4.
Words compute() {
  Words w;
  w.entry(5, 1).interface({});
  w.op(16, {1, 17, 8, 4, 1}).op(5, {20}, "Items").op(5, {30}, "pictures");
  w.op(71, {20, 34, 1}).op(71, {20, 33, 2}).op(71, {30, 34, 0}).op(71, {30, 33, 7});
  w.op(71, {10, 6, 16}).op(72, {11, 0, 35, 0}).op(72, {11, 1, 35, 16});
  w.op(72, {41, 0, 35, 0}).op(72, {41, 0, 7, 16}).op(72, {41, 1, 35, 64});
  w.op(71, {9, 1, 3});
  w.op(22, {2, 32}).op(23, {3, 2, 4}).op(21, {4, 32, 0});
  w.op(43, {4, 5, 2}).op(50, {4, 9, 4});
  w.op(29, {10, 3}).op(30, {11, 3, 10}).op(32, {12, 12, 11}).op(59, {12, 20, 12});
  w.op(25, {25, 2, 1, 0, 0, 0, 1, 0}).op(27, {26, 25}).op(28, {27, 26, 5}).op(32, {28, 0, 27}).op(59, {28, 30, 0});
  w.op(24, {40, 3, 4}).op(30, {41, 40, 2}).op(32, {42, 9, 41}).op(59, {42, 43, 9});
  return w;
}

TEST(Spirv, says_what_a_compute_shader_wants) {
  const Words module = compute();
  const auto found = reflect(module.bytes());
  ASSERT_TRUE(found) << error_of(found);
  EXPECT_EQ(found->stage, Stage::kCompute);
  EXPECT_EQ(found->entry_point, "main");
  EXPECT_EQ(found->workgroup_size, (std::array<std::uint32_t, 3>{8, 4, 1}));
  EXPECT_EQ(found->push_constant_bytes, 68u);
  ASSERT_EQ(found->bindings.size(), 2u);
  EXPECT_EQ(found->bindings[0].binding, 7u);
  EXPECT_EQ(found->bindings[0].kind, BindingKind::kCombinedImageSampler);
  EXPECT_EQ(found->bindings[0].count, 2u);
  EXPECT_EQ(found->bindings[0].name, "pictures");
  EXPECT_EQ(found->bindings[1].set, 1u);
  EXPECT_EQ(found->bindings[1].kind, BindingKind::kStorageBuffer);
  EXPECT_EQ(found->bindings[1].size_bytes, 16u) << "the array at its end does not count";
  EXPECT_EQ(found->bindings[1].name, "Items");
  ASSERT_EQ(found->spec_constants.size(), 1u);
  EXPECT_EQ(found->spec_constants[0].id, 3u);
  EXPECT_EQ(found->spec_constants[0].default_bits, 4u);
}

TEST(Spirv, says_what_a_vertex_shader_takes_and_gives) {
  Words w;
  w.entry(0, 1).interface({20, 21, 22});
  w.op(71, {20, 30, 1}).op(71, {21, 11, 42}).op(71, {22, 30, 0});
  w.op(22, {2, 32}).op(23, {3, 2, 3}).op(24, {4, 3, 3}).op(21, {5, 32, 1});
  w.op(32, {10, 1, 4})
      .op(59, {10, 20, 1})
      .op(32, {11, 1, 5})
      .op(59, {11, 21, 1})
      .op(32, {12, 3, 5})
      .op(59, {12, 22, 3});
  const auto found = reflect(w.bytes());
  ASSERT_TRUE(found) << error_of(found);
  ASSERT_EQ(found->inputs.size(), 1u) << "gl_VertexIndex does not count";
  EXPECT_EQ(found->inputs[0].location, 1u);
  EXPECT_EQ(found->inputs[0].components, 3u);
  EXPECT_EQ(found->inputs[0].columns, 3u);
  ASSERT_EQ(found->outputs.size(), 1u);
  EXPECT_EQ(found->outputs[0].scalar, Scalar::kInt);
}

TEST(Spirv, refuses_what_is_cut_or_turned) {
  Words whole = compute();
  const ByteSpan bytes = whole.bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto cut = reflect(bytes.first(size));  // the first declarations may be enough to open it
    EXPECT_TRUE(cut || !cut.error().what.empty());
  }
  whole.words()[0] = 0x03022307;
  EXPECT_EQ(reflect(whole.bytes()).error().code, ErrorCode::kUnsupported);
  Words twice = compute();
  twice.op(22, {2, 64});
  EXPECT_NE(error_of(reflect(twice.bytes())).find("found an id that is defined already"), std::string::npos);
}

TEST(Spirv, members_that_no_struct_has_are_passed_over) {
  Words module = compute();
  for (const std::uint32_t member : {3u, 0xfffffffeu, 0xffffffffu})
    module.op(72, {41, member, 35, 16}).op(72, {41, member, 7, 16});
  const auto found = reflect(module.bytes());
  ASSERT_TRUE(found) << error_of(found);
  EXPECT_EQ(found->push_constant_bytes, 68u);
}

TEST(Spirv, types_that_nest_without_end_take_no_time) {
  // Each struct contains the previous one twice: 2^60 members.
  Words w(200);
  w.entry(5, 1).op(22, {2, 32}).op(30, {3, 2, 2});
  for (std::uint32_t id = 4; id < 64; ++id) {
    w.op(72, {id, 1, 35, 1u << 20}).op(30, {id, id - 1, id - 1});
  }
  w.op(30, {64, 64, 65})
      .op(30, {65, 64})
      .op(32, {66, 9, 63})
      .op(59, {66, 67, 9})
      .op(32, {68, 9, 64})
      .op(59, {68, 69, 9});
  EXPECT_TRUE(reflect(w.bytes()));
}

TEST(Spirv, layouts_of_matrices_on_what_is_none_take_no_time) {
  Words w(200);
  w.entry(5, 1).op(22, {2, 32}).op(30, {3, 2, 2});
  for (std::uint32_t id = 4; id < 64; ++id)
    w.op(72, {id, 0, 7, 16}).op(72, {id, 1, 7, 16}).op(30, {id, id - 1, id - 1});
  w.op(32, {66, 9, 63}).op(59, {66, 67, 9});
  EXPECT_TRUE(reflect(w.bytes()));
}

TEST(Spirv, buffer_references_are_announced_before_they_are_defined) {
  // layout(buffer_reference) buffer Node { Node next; }; and a push constant that begins with such a reference.
  Words w;
  w.entry(5, 1).op(72, {11, 0, 35, 0}).op(72, {12, 0, 35, 0}).op(72, {12, 1, 35, 8});
  w.op(39, {10, 5349}).op(21, {2, 32, 0});
  w.op(30, {11, 10}).op(32, {10, 5349, 11}).op(30, {12, 10, 2}).op(32, {13, 9, 12}).op(59, {13, 14, 9});
  const auto found = reflect(w.bytes());
  ASSERT_TRUE(found) << error_of(found);
  EXPECT_EQ(found->push_constant_bytes, 12u);
}

}  // namespace
}  // namespace assetc::spirv
