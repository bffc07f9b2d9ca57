// Projects of Unity and Godot: their files beside sources stay as they are, and give settings.
#include <cstring>

#include "import/fbx_text.hpp"
#include "project.hpp"

namespace assetc::e2e {
namespace {

class Engines : public Project {
 protected:
  static std::string unity(const std::string& guid, const std::string& body) {
    return "fileFormatVersion: 2\nguid: " + guid + "\n" + body;
  }
  static std::string texture(int guid, const std::string& body) {
    return unity("0123456789abcdef0123456789abcde" + std::to_string(guid), "TextureImporter:\n" + body);
  }
  std::string facts(const std::string& path) {
    const Finished done = run("info " + path);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out;
  }
  // "source: reason" of each step that a build runs.
  std::string ran(const std::string& arguments = "") {
    const Finished done = run("--explain " + arguments);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.out + done.err;
  }
};

TEST_F(Engines, settings_of_unity_are_below_rules_and_a_change_builds_one_source) {
  write("assets/mask.png", png(64, 64, 1));
  write("assets/mask.png.meta", texture(1, "  mipmaps:\n    sRGBTexture: 0\n  maxTextureSize: 16\n"));
  write("assets/rock.png", png(64, 64, 2));
  write("assets/rock.png.meta", texture(2, "  textureType: 1\n"));
  write("assets/ui/icon.png", png(64, 64, 3));
  write("assets/ui/icon.png.meta", texture(3, "  mipmaps:\n    enableMipMap: 0\n  maxTextureSize: 16\n"));
  const std::string rules = "default:\n  rules:\n    - match: ui/*\n      texture: {max_size: 32}\n";
  write("assetc.yml", "from: unity\n" + rules);
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_NE(facts("runtime/mask.ktx2").find("16x16"), std::string::npos) << facts("runtime/mask.ktx2");
  EXPECT_NE(facts("runtime/mask.ktx2").find("linear"), std::string::npos) << facts("runtime/mask.ktx2");
  EXPECT_NE(facts("runtime/ui/icon.ktx2").find("32x32"), std::string::npos) << facts("runtime/ui/icon.ktx2");

  write("assets/rock.png.meta", texture(2, "  textureType: 1\n  maxTextureSize: 32\n"));
  const std::string why = ran();
  EXPECT_NE(why.find("rock.png"), std::string::npos) << why;
  EXPECT_EQ(why.find("mask.png"), std::string::npos) << why;
  EXPECT_EQ(why.find("icon.png"), std::string::npos) << why;
  EXPECT_NE(facts("runtime/rock.ktx2").find("32x32"), std::string::npos) << facts("runtime/rock.ktx2");

  write("assetc.yml", rules);
  const Finished without = run("");
  EXPECT_EQ(without.exit_code, 0);
  EXPECT_NE(without.err.find("mask.png.meta: is a file of Unity with settings of its source, which are not used; "
                             "`from: unity` in assetc.yml takes them"),
            std::string::npos)
      << without.err;
  EXPECT_EQ(why.find("which are not used"), std::string::npos) << why;
  EXPECT_NE(facts("runtime/mask.ktx2").find("64x64"), std::string::npos);
}

TEST_F(Engines, the_guid_of_unity_becomes_the_uuid_on_request) {
  write("Assets/rock.png", png(8, 8, 1));
  write("Assets/rock.png.meta", texture(1, "  textureType: 0\n"));
  write("Assets/twin.png", png(8, 8, 2));
  write("Assets/twin.png.meta", texture(1, "  textureType: 0\n"));
  write("assetc.yml", "from: {unity: {guid: true}}\n");
  const std::string theirs = read("Assets/rock.png.meta");
  Finished done = run("import");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::string uuid = "\"Uuid\": \"01234567-89ab-cdef-0123-456789abcde1\"";
  EXPECT_NE(read("Assets/rock.png.assetc").find(uuid), std::string::npos);
  EXPECT_EQ(read("Assets/twin.png.assetc").find(uuid), std::string::npos);
  done = run("cook --platform Linux --stamp");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_TRUE(exists("build/Cooked/Linux/Assets/01234567-89ab-cdef-0123-456789abcde1.bin"));
  EXPECT_EQ(read("Assets/rock.png.meta"), theirs);

  write("Assets/new.png", png(8, 8, 3));
  write("Assets/new.png.meta", unity("12", ""));
  done = run("import");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_NE(done.err.find("Assets/new.png.meta: line 2: guid: found \"12\", expected 32 hexadecimal digits"),
            std::string::npos)
      << done.err;
  EXPECT_FALSE(exists("Assets/new.png.assetc"));
}

TEST_F(Engines, damaged_files_and_values_that_cannot_be_followed_are_warnings_with_a_line) {
  write("assetc.yml", "from: unity\n");
  write("assets/a.png", png(8, 8, 1));
  write("assets/a.png.meta", texture(1, "  maxTextureSize: 99999999\n"));
  write("assets/b.png", png(8, 8, 2));
  write("assets/b.png.meta", texture(2, "  bumpmap:\n    convertToNormalMap: 1\n"));
  write("assets/c.png", png(8, 8, 3));
  write("assets/c.png.meta", texture(3, "<<<<<<< ours\n"));
  const Finished done = run("--warnings");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  for (const char* const said :
       {"a.png.meta: line 4: texture.max_size: found \"99999999\", expected 0 (no limit) or 1 to 32768 texels",
        "b.png.meta: line 5: Unity makes a normal map of this height map",
        "c.png.meta: line 4: found a line without a key"})
    EXPECT_NE(done.err.find(said), std::string::npos) << said << "\n" << done.err;
  EXPECT_EQ(run("--strict --no-cache").exit_code, 1);
}

TEST_F(Engines, a_material_of_unity_has_the_pictures_of_its_guids) {
  write("assetc.yml", "from: unity\n");
  write("assets/tex/rock.png", png(8, 8, 1));
  write("assets/tex/rock.png.meta", texture(1, "  textureType: 0\n"));
  write("assets/rock.mat",
        "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n  m_Name: Rock\n  m_SavedProperties:\n    m_TexEnvs:\n"
        "    - _MainTex:\n        m_Texture: {fileID: 2800000, guid: 0123456789abcdef0123456789abcde1, type: 3}\n");
  Finished done = run("--warnings");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err.find("GUID"), std::string::npos) << done.err;
  const std::string with = read("runtime/rock.hmat");

  // The picture moves with its .meta: the material refers to it at its new place.
  write("assets/moved/stone.png", read("assets/tex/rock.png"));
  write("assets/moved/stone.png.meta", read("assets/tex/rock.png.meta"));
  remove("assets/tex");
  done = run("--warnings");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_NE(read("runtime/rock.hmat"), with);

  remove("assets/moved");
  done = run("--warnings");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_NE(done.err.find("rock.mat: line 8: the base color texture has a GUID of Unity that no source here has; it is "
                          "left out"),
            std::string::npos)
      << done.err;

  write("assets/moved/stone.png", png(8, 8, 1));
  write("assets/moved/stone.png.meta", texture(1, "  textureType: 0\n"));
  done = run("--warnings");
  EXPECT_EQ(done.err.find("GUID"), std::string::npos) << done.err;
  EXPECT_EQ(run("check").exit_code, 0);
}

TEST_F(Engines, a_material_of_an_fbx_is_the_one_to_which_unity_maps_it) {
  write("assets/crate.fbx", fbx_text::crate());
  write("assets/crate.fbx.meta",
        unity("0123456789abcdef0123456789abcde3",
              "ModelImporter:\n  externalObjects:\n  - first:\n      type: UnityEngine:Material\n"
              "      assembly: UnityEngine.CoreModule\n      name: Wood\n"
              "    second: {fileID: 2100000, guid: 0123456789abcdef0123456789abcde2, type: 2}\n"));
  write("assets/tex/rock.png", png(8, 8, 1));
  write("assets/tex/rock.png.meta", texture(1, "  textureType: 0\n"));
  const auto material = [](const std::string& metallic) {
    return "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n  m_Name: Rock\n  m_SavedProperties:\n    m_TexEnvs:\n"
           "    - _MainTex:\n        m_Texture: {fileID: 2800000, guid: 0123456789abcdef0123456789abcde1, type: 3}\n"
           "    m_Floats:\n    - _Metallic: " +
           metallic + "\n";
  };
  write("assets/mats/rock.mat", material("0.25"));
  write("assets/mats/rock.mat.meta", unity("0123456789abcdef0123456789abcde2", "NativeFormatImporter:\n"));
  const auto has_metallic = [&](float value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return read("runtime/crate.hmat").contains(bytes);
  };
  EXPECT_EQ(run("").exit_code, 0);
  const std::string plain = read("runtime/crate.hmat");
  EXPECT_FALSE(has_metallic(0.25f));
  write("assets/crate.fbx.meta", read("assets/crate.fbx.meta") + "  useFileUnits: 1\n");
  EXPECT_EQ(ran().find("crate.fbx:"), std::string::npos) << "without `from: unity`, the .meta is no input";

  write("assetc.yml", "from: unity\n");
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_TRUE(has_metallic(0.25f));
  EXPECT_NE(facts("runtime/crate.hmat").find("1 base color"), std::string::npos) << facts("runtime/crate.hmat");
  EXPECT_EQ(run("check").exit_code, 0);

  write("assets/mats/rock.mat", material("0.75"));
  EXPECT_NE(ran().find("crate.fbx"), std::string::npos);
  EXPECT_TRUE(has_metallic(0.75f));

  write("assets/mats/rock.mat", "%YAML 1.1\n--- !u!21 &2100000\nMaterial:\n\tm_Name: Rock\n");
  const Finished damaged = run("--warnings");
  EXPECT_NE(damaged.err.find("material \"Wood\": Unity replaces it by mats/rock.mat, which cannot be read"),
            std::string::npos)
      << damaged.err;
  EXPECT_EQ(read("runtime/crate.hmat"), plain);
}

TEST_F(Engines, godot_scales_models_and_ignores_folders) {
  write("assetc.yml", "from: godot\n");
  write("assets/a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("assets/a.obj.import", "[remap]\n\nimporter=\"scene\"\n\n[params]\n\nnodes/root_scale=4.0\n");
  write("assets/wip/.gdignore", "");
  write("assets/wip/b.png", png(8, 8, 1));
  const Finished done = run("");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.err.find(".import"), std::string::npos) << done.err;
  EXPECT_NE(facts("runtime/a.hmesh").find("to [4 4 0]"), std::string::npos) << facts("runtime/a.hmesh");
  EXPECT_FALSE(exists("runtime/wip/b.ktx2"));
  remove("assets/wip/.gdignore");
  EXPECT_EQ(run("").exit_code, 0);
  EXPECT_TRUE(exists("runtime/wip/b.ktx2"));
}

}  // namespace
}  // namespace assetc::e2e
