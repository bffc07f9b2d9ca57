// Encodes one picture after another with one instance. Runs in the calling thread or in a worker.
import { Instance } from './module.js';

// An instance with more memory than this is replaced after a picture: memory never shrinks.
const KEPT_BYTES = 256 << 20;

export class PictureEncoder {
  /** @type {Instance | undefined} */
  #instance;

  /** @param {WebAssembly.Module} module */
  constructor(module) {
    this.module = module;
  }

  /**
   * @param {import('../index.d.ts').Picture} picture
   * @param {{integers: number[], floats: number[]}} numbers
   * @returns {Uint8Array<ArrayBuffer>}
   */
  encode({ width, height, data }, { integers, floats }) {
    const instance = (this.#instance ??= new Instance(this.module));
    try {
      const texels = instance.copyIn(data);
      const head = [texels, width, height, ...integers];
      const request = instance.copyIn(new Uint8Array((head.length + floats.length) * 4));
      instance.words(request, head.length).set(head);
      new Float32Array(instance.exports.memory.buffer, request + head.length * 4, floats.length).set(floats);
      try {
        const [at, size] = instance.words(instance.call('encode', request), 2);
        return instance.bytes(at, size).slice();
      } finally {
        if (!instance.dead) for (const at of [request, texels]) instance.exports.release(at);
      }
    } finally {
      if (instance.dead || instance.memoryBytes > KEPT_BYTES) this.#instance = undefined;
    }
  }
}
