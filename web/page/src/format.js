// Numbers and names as people read them.

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size: 1 KB is 1024 bytes. @param {number | undefined} bytes */
export function size(bytes) {
  if (bytes === undefined || !Number.isFinite(bytes)) return '';
  let value = bytes,
    unit = 0;
  while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${unit === 0 || Math.abs(value) >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** @param {number | undefined} value */
export const count = (value) => (value === undefined ? '' : value.toLocaleString('en'));

/** @param {number} value @param {string} one @param {string} [many] */
export const counted = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** @param {number} seconds */
export const duration = (seconds) => (seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`);

/** @param {string} path */
export const nameOf = (path) => path.slice(path.lastIndexOf('/') + 1);

/** @param {string} path */
export const folderOf = (path) => (path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '');

/** A number with few digits. @param {number} value */
export const short = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(5))));

/** @param {number | undefined} decibels */
export const decibels = (decibels) => (decibels === undefined || decibels === Infinity ? 'equal' : `${decibels.toFixed(2)} dB`);

const KIND_NAMES = {
  mesh: 'Mesh',
  material: 'Material',
  manifest: 'Manifest',
  animation: 'Animation',
  texture: 'Texture',
  shader: 'Shader',
  scene: 'Scene',
  asset: 'Cooked asset',
  bundle: 'Bundle',
  other: 'Other file',
  sound: 'Sound',
  font: 'Font',
};

/** @param {string} kind */
export const kindName = (kind) => /** @type {Record<string, string>} */ (KIND_NAMES)[kind] ?? kind;

/** The kind of a file whose cooked assets are sorted by type. @param {{ kind: string, type?: string }} file */
export function familyOf({ kind, type = '' }) {
  if (kind !== 'asset') return kind;
  if (type.startsWith('Texture')) return 'texture';
  return (
    /** @type {Record<string, string>} */ ({
      Mesh: 'mesh',
      Clusters: 'mesh',
      Material: 'material',
      Animation: 'animation',
      Skeleton: 'animation',
      Model: 'scene',
      Shader: 'shader',
      Audio: 'sound',
    })[type] ?? 'asset'
  );
}

/** The kind that the suffix of a file says. @param {string} path */
export function kindOfPath(path) {
  const kinds = {
    ktx2: 'texture',
    hmesh: 'mesh',
    hcluster: 'mesh',
    hscene: 'scene',
    hmat: 'material',
    hanim: 'animation',
    hman: 'manifest',
    hfont: 'font',
    spv: 'shader',
  };
  return /** @type {Record<string, string>} */ (kinds)[path.slice(path.lastIndexOf('.') + 1)] ?? 'other';
}
