// Damaged files for readers.
import assert from 'node:assert/strict';
import { AssetcError } from '@assetc/codec';

/**
 * Reads prefixes and changed bytes, which may be accepted or end in an AssetcError, and nothing else.
 * @param {Uint8Array} bytes
 * @param {(bytes: Uint8Array, file: string) => any} read
 * @param {{ prefixes?: number, changes?: number, head?: number }} [options] head: bytes are changed before this one
 */
export function attack(bytes, read, { prefixes = 500, changes = 2000, head = 512 } = {}) {
  let refused = 0;
  const attempt = (/** @type {Uint8Array} */ damaged) => {
    try {
      read(damaged, 'damaged');
    } catch (/** @type {any} */ error) {
      assert.ok(error instanceof AssetcError, `${error.stack}`);
      assert.ok(error.place?.startsWith('damaged') || error.place === undefined, `the place is ${error.place}`);
      ++refused;
    }
  };
  const step = Math.max(1, Math.floor(bytes.length / prefixes));
  for (let size = 0; size < bytes.length; size += size < 256 ? 1 : step) attempt(bytes.slice(0, size));
  let state = 1;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let i = 0; i < changes; ++i) {
    const damaged = bytes.slice();
    for (let n = 0; n < 3; ++n) damaged[random() % Math.min(damaged.length, head)] = random() >>> 24;
    attempt(damaged);
  }
  assert.ok(refused > 0, 'damage was refused');
}
