// Files without a view of their own: the first bytes, and tables of what the compiler says.
import { el, table } from './dom.js';
import { counted, duration } from './format.js';

const BYTES = 4096;

/** @param {import('./app.js').Context} context */
export async function open({ root, file, main, inspector, signal, showLinks }) {
  if (file.kind === 'shader') tablesOfShader(file, inspector);
  if (file.kind === 'animation' && file.clips) {
    inspector.section(
      'Clips',
      table(
        ['Clip', 'Length', 'Channels', 'Keys'],
        file.clips.map((/** @type {any} */ clip) => [clip.name || '(no name)', duration(clip.seconds), clip.channels, clip.keys ?? '']),
        'Clips',
      ),
    );
  }
  showLinks();
  const bytes = await root.read(file.path, signal);
  main.replaceChildren(
    el(
      'div',
      { class: 'tools' },
      el('span', { text: bytes.length > BYTES ? `The first ${counted(BYTES, 'byte')}` : counted(bytes.length, 'byte') }),
    ),
    el('div', {
      class: 'hex mono',
      tabindex: 0,
      role: 'region',
      'aria-label': 'Bytes',
      text: isText(bytes) ? new TextDecoder().decode(bytes.subarray(0, 64 * BYTES)) : hex(bytes.subarray(0, BYTES)),
    }),
  );
  return { key: () => false, update: async () => false, destroy: () => {} };
}

/** @param {Uint8Array} bytes */
function isText(bytes) {
  const head = bytes.subarray(0, BYTES);
  return head.length > 0 && head.every((byte) => byte >= 32 || byte === 9 || byte === 10 || byte === 13);
}

/** @param {Uint8Array} bytes */
export function hex(bytes) {
  const out = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const row = [...bytes.subarray(at, at + 16)];
    out.push(
      `${at.toString(16).padStart(6, '0')}  ${row
        .map((byte) => byte.toString(16).padStart(2, '0'))
        .join(' ')
        .padEnd(47)}  ${row.map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('')}`,
    );
  }
  return out.join('\n');
}

/** @param {any} file @param {import('./inspector.js').Inspector} inspector */
function tablesOfShader(file, inspector) {
  if (file.bindings?.length)
    inspector.section(
      'Bindings',
      table(
        ['Set', 'Binding', 'Kind', 'Name'],
        file.bindings.map((/** @type {any} */ b) => [b.set, b.binding, b.kind + (b.count > 1 ? ` × ${b.count}` : ''), b.name]),
        'Bindings',
      ),
    );
  for (const side of ['inputs', 'outputs'])
    if (file[side]?.length)
      inspector.section(
        side === 'inputs' ? 'Inputs' : 'Outputs',
        table(
          ['Location', 'Type', 'Name'],
          file[side].map((/** @type {any} */ v) => [
            v.location,
            `${v.scalar}${v.bits} × ${v.components}${v.columns > 1 ? ` × ${v.columns}` : ''}`,
            v.name,
          ]),
          side,
        ),
      );
  if (file.spec_constants?.length)
    inspector.section(
      'Specialization constants',
      table(
        ['Id', 'Default', 'Name'],
        file.spec_constants.map((/** @type {any} */ c) => [c.id, `0x${c.default_bits.toString(16)}`, c.name]),
        'Specialization constants',
      ),
    );
}
