// The types that tsc writes, and what they add to those of three.js.
import type { Ktx2Loader } from './types/index.js';

export * from './types/index.js';

declare module 'three/addons/loaders/GLTFLoader.js' {
  interface GLTFLoader {
    /** Textures of KHR_texture_basisu. The loader may be shared with others. */
    setKTX2Loader(loader: Ktx2Loader | null): this;
  }
}
