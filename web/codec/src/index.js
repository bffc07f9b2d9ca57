export { AssetcError } from './error.js';
export { loadTranscoder } from './transcoder.js';
export { loadEncoder } from './encoder.js';
export { hasSimd } from './module.js';
