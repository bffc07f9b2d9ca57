// The parts that all AAS1 blobs share, and the small types.
#include "assetc/formats/aas1.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "assetc/formats/hanim.hpp"
#include "formats/sample_aas1.hpp"
#include "formats/support.hpp"

namespace assetc::aas1 {
namespace {

using namespace formats_test;
using ::testing::HasSubstr;

Redirector moved() { return {uuid_number(1), uuid_number(2), "Engine/Textures/Wood_Old"}; }

ByteVector clip() {
  hanim::Clip run{"run", 1, {{0, hanim::Path::kTranslation, hanim::Interpolation::kLinear, {0}, {1, 2, 3}}}};
  return *hanim::write(std::span(&run, 1));
}

std::vector<hmesh::GpuJoint> joints() { return {identity_joint(1), identity_joint(hmesh::kNoParent)}; }
const std::vector<std::string> kJointNames = {"hip", "root"};
const std::vector<std::uint32_t> kJointNodes = {4, 2};

std::vector<ModelNode> nodes() {
  return {{ModelNode::kNone, ModelNode::kNone, {}, {}, {0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
          {0, ModelNode::kNone, uuid_number(1), uuid_number(2), {1, 2, 3}, {0, 0, 0, 1}, {2, 2, 2}},
          {0, 1, uuid_number(3), {}, {1, 2, 3}, {0, 0, 0, 1}, {2, 2, 2}}};
}
const std::vector<std::string> kNodeNames = {"Chair", "", "Seat"};

TEST(Aas1, redirectors_round_trip) {
  const ByteVector file = *write(moved());
  EXPECT_EQ(file.size(), 16u + 40 + 24);
  const auto read = read_redirector(file);
  ASSERT_TRUE(read) << error_of(read);
  EXPECT_EQ(*read, moved());
}

TEST(Aas1, keeps_its_golden_bytes) {
  expect_golden("redirector.aas1", *write(moved()));
  expect_golden("model.aas1", *write_model(nodes(), kNodeNames));
  expect_golden("skeleton.aas1", *write_skeleton(joints(), kJointNames, kJointNodes));
  expect_golden("animation.aas1", *write_payload(Type::kAnimation, kEncodingHanim, clip(), uuid_number(7)));
}

TEST(Aas1, lays_out_the_header_as_specified) {
  const ByteVector file = *write(moved());
  EXPECT_EQ(load<std::uint32_t>(file, 0), 0x31534141u);
  EXPECT_EQ(load<std::uint16_t>(file, 4), 1u);
  EXPECT_EQ(load<std::uint8_t>(file, 6), 6u);
  EXPECT_EQ(load<std::uint8_t>(file, 7), 0u);
  EXPECT_EQ(load<std::uint32_t>(file, 8), 40u);
  EXPECT_EQ(load<std::uint32_t>(file, 12), 24u);
}

TEST(Aas1, payloads_round_trip) {
  const ByteVector file = *write_payload(Type::kAnimation, kEncodingHanim, clip(), uuid_number(7));
  const auto view = PayloadView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->encoding(), kEncodingHanim);
  EXPECT_TRUE(std::ranges::equal(view->payload(), clip()));
  EXPECT_EQ(view->model(), uuid_number(7));
  const ByteVector script = *write_payload(Type::kScript, kEncodingText, as_bytes("print('hi')\n"));
  EXPECT_EQ(as_text(PayloadView::open(script)->payload()), "print('hi')\n");
  EXPECT_TRUE(PayloadView::open(script)->model().is_nil());
}

TEST(Aas1, skeletons_round_trip) {
  const ByteVector file = *write_skeleton(joints(), kJointNames, kJointNodes);
  const auto view = SkeletonView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_EQ(view->joints().size(), 2u);
  EXPECT_EQ(view->joints()[0], joints()[0]);
  EXPECT_EQ(view->names()->joint(1), "root");
  ASSERT_EQ(view->nodes().size(), 2u);
  EXPECT_EQ(view->nodes()[0], 4u);
  const ByteVector nameless = *write_skeleton(joints(), {});
  EXPECT_FALSE(SkeletonView::open(nameless)->names());
}

TEST(Aas1, models_round_trip) {
  const ByteVector file = *write_model(nodes(), kNodeNames);
  const auto view = ModelView::open(file);
  ASSERT_TRUE(view) << error_of(view);
  ASSERT_EQ(view->nodes().size(), 3u);
  EXPECT_EQ(view->nodes()[1], nodes()[1]);
  EXPECT_EQ(view->names()->node(2), "Seat");
  EXPECT_TRUE(write_model({}, {}));
}

TEST(Aas1, rejects_broken_models) {
  const ByteVector file = *write_model(nodes(), kNodeNames);
  EXPECT_THAT(error_of(ModelView::open(with(file, 16, std::uint32_t{9}))), HasSubstr("9 nodes of 80 bytes"));
  EXPECT_THAT(error_of(ModelView::open(with(file, 32, std::int32_t{3}))),
              HasSubstr("node 0: found parent 3, expected -1 or less than 3"));
  EXPECT_THAT(error_of(ModelView::open(with(file, 32, std::int32_t{0}))), HasSubstr("its own ancestor"));
  EXPECT_THAT(error_of(ModelView::open(with(file, 36, std::int32_t{7}))),
              HasSubstr("node 0: found full node 7, expected -1 or less than 3"));
  EXPECT_THAT(error_of(ModelView::open(with(file, 32 + 40, std::numeric_limits<float>::infinity()))),
              HasSubstr("not finite"));
}

TEST(Aas1, refuses_every_prefix) {
  expect_every_prefix_refused(*write_model(nodes(), kNodeNames), ModelView::open);
  expect_every_prefix_refused(*write(moved()), read_redirector);
  expect_every_prefix_refused(*write_payload(Type::kAnimation, kEncodingHanim, clip(), uuid_number(7)),
                              PayloadView::open);
  expect_every_prefix_refused(*write_skeleton(joints(), kJointNames, kJointNodes), SkeletonView::open);
}

TEST(Aas1, survives_changed_bytes) {
  expect_survives_changed_bytes(*write_model(nodes(), kNodeNames), ModelView::open);
  expect_survives_changed_bytes(*write(moved()), read_redirector);
  expect_survives_changed_bytes(*write_payload(Type::kAnimation, kEncodingHanim, clip(), uuid_number(7)),
                                PayloadView::open);
  expect_survives_changed_bytes(*write_skeleton(joints(), kJointNames, kJointNodes), SkeletonView::open);
}

TEST(Aas1, rejects_broken_headers) {
  const ByteVector file = *write(moved());
  EXPECT_EQ(error_of(Blob::open(with(file, 0, std::uint32_t{0}))),
            "byte 0: found magic 0x00000000, expected AAS1; check that this is a cooked asset");
  EXPECT_EQ(error_of(Blob::open(with(file, 4, std::uint16_t{2}))),
            "byte 4: found AAS1 version 2, expected 1; read it with a newer assetc, or cook its source again with this "
            "one");
  EXPECT_EQ(error_of(Blob::open(with(file, 6, std::uint8_t{9}))),
            "byte 6: found asset type 9, expected one of 1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26; "
            "the file is "
            "damaged or was cut short; write it again");
  EXPECT_EQ(error_of(Blob::open(with(file, 12, std::uint32_t{25}))),
            "byte 56: found 24 bytes, expected 25 for the data; the file is damaged or was cut short; write it again");
  EXPECT_EQ(error_of(Blob::open(with(file, 12, std::uint32_t{23}))),
            "byte 79: found 1 extra byte, expected the end of the file; the file is damaged or was cut short; write "
            "it again");
  EXPECT_EQ(error_of(SkeletonView::open(file)),
            "byte 6: found a blob of type Redirector, expected Skeleton; open it with the reader of its type");
  const ByteVector short_desc = *write_blob(Type::kSkeleton, 0, ByteSpan(file).first(12), {});
  EXPECT_EQ(error_of(SkeletonView::open(short_desc)),
            "byte 8: found a Desc of 12 bytes, expected 16 for Skeleton; the file is damaged or was cut short; write "
            "it again");
  EXPECT_EQ(Blob::open(ByteSpan(file).subspan(1)).error().code, ErrorCode::kUsage);
}

TEST(Aas1, rejects_broken_extensions) {
  const ByteVector file = *write_payload(Type::kRaw, kEncodingRaw, as_bytes("abc"), uuid_number(7));
  // 16 + 16 + 3, then a zero, AASX, a count, one entry, 16 bytes.
  ASSERT_EQ(file.size(), 36u + 8 + 8 + 16);
  EXPECT_THAT(error_of(Blob::open(with(file, 35, std::uint8_t{1}))), HasSubstr("byte 35: found padding"));
  EXPECT_THAT(error_of(Blob::open(with(file, 36, std::uint32_t{0}))), HasSubstr("expected AASX"));
  EXPECT_THAT(error_of(Blob::open(with(file, 40, std::uint32_t{0}))), HasSubstr("expected 1 to 64"));
  EXPECT_THAT(error_of(Blob::open(with(file, 40, std::uint32_t{65}))), HasSubstr("expected 1 to 64"));
  EXPECT_THAT(error_of(Blob::open(with(file, 48, std::uint32_t{0}))),
              HasSubstr("extension 0: found size 0, expected at least 1"));
  EXPECT_THAT(error_of(Blob::open(with(file, 48, std::uint32_t{20}))), HasSubstr("expected 20 for the extension"));
  EXPECT_THAT(error_of(PayloadView::open(with(file, 48, std::uint32_t{13}))), HasSubstr("expected UUIDs of 16"));
  EXPECT_THAT(error_of(PayloadView::open(with(file, 52, Uuid{}))), HasSubstr("names no asset"));
  EXPECT_THAT(error_of(Blob::open(with_extra(file, 4))), HasSubstr("found 4 extra bytes"));
  const Uuid uuid = uuid_number(7);
  const Extension twice[] = {{kSkeletonId, object_bytes(uuid)}, {kSkeletonId, object_bytes(uuid)}};
  EXPECT_THAT(error_of(Blob::open(*write_blob(Type::kRaw, 0, {}, {}, twice))), HasSubstr("a second extension SKEL"));
}

TEST(Aas1, rejects_broken_redirectors) {
  const ByteVector file = *write(moved());
  EXPECT_THAT(error_of(read_redirector(with(file, 16, Uuid{}))), HasSubstr("expected two UUIDs"));
  EXPECT_THAT(error_of(read_redirector(with(file, 32, Uuid{}))), HasSubstr("expected two UUIDs"));
  EXPECT_THAT(error_of(read_redirector(with(file, 32, uuid_number(1)))), HasSubstr("expected two UUIDs"));
  EXPECT_THAT(error_of(read_redirector(with(file, 52, std::uint32_t{25}))),
              HasSubstr("do not fit in the data of 24 bytes"));
  EXPECT_THAT(error_of(read_redirector(with(file, 56, std::uint8_t{0xff}))), HasSubstr("is not UTF-8"));
  EXPECT_FALSE(write(Redirector{uuid_number(1), uuid_number(1), ""}));
}

TEST(Aas1, rejects_broken_payloads) {
  EXPECT_THAT(error_of(write_payload(Type::kScript, kEncodingText, as_bytes("\xff"))), HasSubstr("not UTF-8"));
  EXPECT_THAT(error_of(write_payload(Type::kShader, kEncodingSpirv, as_bytes("abcd"))),
              HasSubstr("the encoding is SPIR-V"));
  EXPECT_THAT(error_of(write_payload(Type::kAnimation, kEncodingHanim, as_bytes("abcd"))),
              HasSubstr("byte 32, payload byte 0"));
  EXPECT_THAT(error_of(PayloadView::open(*write(moved()))), HasSubstr("expected a script"));
}

TEST(Aas1, rejects_broken_skeletons) {
  const ByteVector file = *write_skeleton(joints(), kJointNames, kJointNodes);
  EXPECT_THAT(error_of(SkeletonView::open(with(file, 16, std::uint32_t{0}))),
              HasSubstr("found joint count 0, expected at least 1"));
  EXPECT_THAT(error_of(SkeletonView::open(with(file, 16, std::uint32_t{9}))), HasSubstr("9 joints of 112 bytes"));
  EXPECT_THAT(error_of(SkeletonView::open(with(file, 20, std::uint32_t{2}))), HasSubstr("expected a multiple of 4"));
  EXPECT_THAT(error_of(SkeletonView::open(with(file, 32 + 104, std::int32_t{5}))), HasSubstr("parent 5"));
  EXPECT_THAT(error_of(write_skeleton({}, {})), HasSubstr("found joint count 0"));
}

}  // namespace
}  // namespace assetc::aas1
