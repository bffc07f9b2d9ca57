// Evaluates clips with the runtime, for independent readers. Numbers are separated by blanks.
//
//   animation_probe mesh HMESH HANIM       stdin: lines "clip time loops" or "clip time loops clip time loops weight",
//                                          loops is 1 or 0; prints the skinning matrices of each, on one line
//   animation_probe model MODEL CLIP...    AAS1 blobs; stdin the same; prints the matrices of all nodes
//   animation_probe curve                  stdin: path interpolation keys, times, values, requested times; prints the
//                                          value at each time on one line
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "assetc/runtime/animation.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;

Bytes read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end()));
}

template <class T>
T must(Result<T> result, const std::string& path) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s: %s\n", path.c_str(), result.error().to_string().c_str());
  std::exit(1);
}

void print(std::span<const Matrix> matrices) {
  for (const Matrix& matrix : matrices) {
    for (const float v : matrix) std::printf("%.9g ", static_cast<double>(v));
  }
  std::printf("\n");
}

// Poses requested by the lines of stdin, each with the cursors that the line before left.
class Poses {
 public:
  Poses(const Hierarchy& hierarchy, std::vector<hanim::ClipView> clips)
      : hierarchy_(hierarchy), clips_(std::move(clips)), matrices_(hierarchy.size()) {
    for (const hanim::ClipView& clip : clips_) cursors_.emplace_back(clip.channels.size());
  }

  bool next() {
    std::string line;
    if (!std::getline(std::cin, line)) return false;
    std::istringstream words(line);
    std::vector<Transform> pose = posed(words);
    if (std::ws(words); !words.eof()) {
      const std::vector<Transform> second = posed(words);
      float weight = 0;
      words >> weight;
      blend(pose, second, weight, pose, {}, RotationBlend::kSlerp);
    }
    hierarchy_.model_matrices(pose, matrices_);
    return true;
  }
  std::span<const Matrix> matrices() const { return matrices_; }

 private:
  std::vector<Transform> posed(std::istream& words) {
    std::size_t clip = 0;
    float time = 0;
    int loops = 0;
    words >> clip >> time >> loops;
    std::vector<Transform> pose(hierarchy_.rest().begin(), hierarchy_.rest().end());
    const hanim::ClipView& view = clips_.at(clip);
    time = time_in_clip(time, view.duration_seconds, loops != 0 ? Playback::kLoop : Playback::kClamp);
    sample(view, time, cursors_[clip], pose);
    return pose;
  }

  const Hierarchy& hierarchy_;
  std::vector<hanim::ClipView> clips_;
  std::vector<std::vector<std::uint32_t>> cursors_;
  std::vector<Matrix> matrices_;
};

void of_mesh(const std::string& mesh_path, const std::string& clips_path) {
  const Bytes mesh_bytes = read(mesh_path), clip_bytes = read(clips_path);
  const auto mesh = must(hmesh::View::open(mesh_bytes), mesh_path);
  const auto clips = must(hanim::View::open(clip_bytes), clips_path);
  const Hierarchy hierarchy(mesh.joints());
  Poses poses(hierarchy, {clips.clips().begin(), clips.clips().end()});
  std::vector<Matrix> skin(mesh.joints().size());
  while (poses.next()) {
    skinning_matrices(mesh.joints(), {}, poses.matrices(), skin);
    print(skin);
  }
}

void of_model(const std::vector<std::string>& paths) {
  std::vector<Bytes> files;
  std::vector<hanim::ClipView> clips;
  std::ranges::transform(paths, std::back_inserter(files), read);
  const auto model = must(aas1::ModelView::open(files[0]), paths[0]);
  for (std::size_t i = 1; i < paths.size(); ++i) {
    const auto payload = must(aas1::PayloadView::open(files[i]), paths[i]);
    clips.push_back(must(hanim::View::open(payload.payload()), paths[i]).clips()[0]);
  }
  const Hierarchy hierarchy(model.nodes());
  Poses poses(hierarchy, std::move(clips));
  while (poses.next()) print(poses.matrices());
}

void of_curve() {
  int path = 0, interpolation = 0;
  std::size_t keys = 0;
  while (std::cin >> path >> interpolation >> keys) {
    std::vector<float> times(keys),
        values(keys * hanim::component_count(static_cast<hanim::Path>(path)) * (interpolation == 2 ? 3 : 1));
    for (float& v : times) std::cin >> v;
    for (float& v : values) std::cin >> v;
    const Curve curve(static_cast<hanim::Path>(path), static_cast<Interpolation>(interpolation), times, values);
    std::size_t asked = 0;
    std::uint32_t cursor = 0;
    std::cin >> asked;
    for (float time = 0; asked > 0 && std::cin >> time; --asked) {
      for (const float v : curve.at(time, cursor)) std::printf("%.9g ", static_cast<double>(v));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 3 && arguments[0] == "mesh") return of_mesh(arguments[1], arguments[2]), 0;
  if (arguments.size() >= 3 && arguments[0] == "model") return of_model({arguments.begin() + 1, arguments.end()}), 0;
  if (arguments.size() == 1 && arguments[0] == "curve") return of_curve(), 0;
  std::fprintf(stderr, "usage: animation_probe mesh HMESH HANIM | model MODEL CLIP... | curve\n");
  return 2;
}
