// What the program does with the engine, one step after another. Each step prints its result.
#pragma once

#include <assetc/runtime/manager.hpp>

#include "content.hpp"
#include "loop.hpp"

namespace example {

// Lists assets by type, folder, prefix and tag, and the contents of models.
void enumerate(const assetc::runtime::Catalog& catalog);
// Loads all meshes into the world, and all animations.
void load_world(Engine& engine);
// Moves the camera away and back. Prints which detail fits the GPU budget.
void move_camera(Engine& engine);
// Selects variants, mounts and unmounts a mod, and changes a file, while the loop runs.
void change_content(Engine& engine, Server& server);
// Requests only the coarse levels of a texture.
void load_icon(Engine& engine);
// Adds a texture that the engine made.
void insert_texture(Engine& engine);
// Requests a texture that does not exist.
void miss_texture(Engine& engine);

// Prints the use of the staging heap and of the memory functions.
void print_memory(const Engine& engine, const CountedMemory& memory);

// Writes the content that the server has at the start.
void put_game(Server& server);

}  // namespace example
