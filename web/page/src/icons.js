// Icons of kinds, drawn as paths of 16 by 16.

/** @type {Record<string, string>} */
const PATHS = {
  texture: 'M2 3h12v10H2z M2 11l4-4 3 3 2-2 3 3 M10.5 6.2a.7.7 0 1 0 .01 0',
  mesh: 'M8 1.8l5.5 3v6.4L8 14.2l-5.5-3V4.8z M2.5 4.8L8 8l5.5-3.2 M8 8v6.2',
  material: 'M8 2a6 6 0 1 0 .01 0z M4.2 6.2c1.6-2.2 3.6-2.6 5-2.4',
  animation: 'M1.5 12c3 0 3-8 6.500-8s3.500 8 6.500 8 M1.5 14.500h13',
  scene: 'M6 2h4v3H6z M1.500 10.500h4v3h-4z M10.500 10.500h4v3h-4z M8 5v3 M3.500 10.500V8h9v2.500',
  shader: 'M5.500 4L1.800 8l3.700 4 M10.500 4l3.700 4-3.700 4',
  manifest: 'M3 2h10v12H3z M5.500 5.500h5 M5.500 8h5 M5.500 10.500h3',
  asset: 'M2.500 2.500h11v11h-11z M5.500 8h5 M8 5.500v5',
  bundle: 'M2 4.500h12v9H2z M2 4.500l2-2.500h8l2 2.500 M6.500 7.500h3',
  sound: 'M2 6v4h2.500L8 13V3L4.500 6z M10.500 5.500c1.500 1.500 1.500 3.500 0 5 M12.500 3.500c2.600 2.600 2.600 6.400 0 9',
  font: 'M3 13.500L7.500 2.500h1L13 13.500 M4.800 9.500h6.400',
  folder: 'M1.500 3.500h5l1.500 2h6.500v7.500h-13z',
  other: 'M4 1.800h5l3.500 3.500v9H4z M9 1.800v3.500h3.500',
};

/** @param {string} kind */
export function icon(kind) {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('class', `icon kind-${kind in PATHS ? kind : 'other'}`);
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
  path.setAttribute('d', PATHS[kind] ?? PATHS.other);
  svg.append(path);
  return svg;
}
