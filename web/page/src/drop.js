// Files and folders that are dropped on the page. Nothing is uploaded: the page reads them.
import { byId } from './dom.js';
import { DroppedRoot } from './data.js';
import { run } from './jobs.js';

const MAX_FILES = 100_000,
  MAX_BYTES = 1 << 30;

/** @param {any} entry @param {Map<string, File>} files */
async function collect(entry, files) {
  if (files.size >= MAX_FILES) return;
  if (entry.isFile) {
    const file = await new Promise((done, fail) => entry.file(done, fail));
    files.set(entry.fullPath.replace(/^\//, ''), file);
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, fail) => reader.readEntries(done, fail));
    if (some.length === 0) return;
    for (const one of some) await collect(one, files);
  }
}

/**
 * Makes a root of files, with their facts.
 * @param {Map<string, File>} files by path
 * @param {(done: number, all: number) => void} progress
 */
export async function rootOf(files, progress) {
  const paths = [...files.keys()],
    tops = new Set(paths.map((path) => path.split('/')[0]));
  // The folder itself is not part of the paths: assets.hman lists paths below it.
  const prefix = tops.size === 1 && paths[0].includes('/') ? `${paths[0].split('/')[0]}/` : '';
  const contents = new Map([...files].map(([path, file]) => [path.slice(prefix.length), file]));
  const label = prefix ? prefix.slice(0, -1) : paths.length === 1 ? paths[0] : `${paths.length} files`;
  const root = new DroppedRoot(label, contents);
  let done = 0;
  const facts = await Promise.all(
    [...contents]
      .filter(([path]) => !/(^|\/)\.[^/]*$/.test(path))
      .map(async ([path, file]) => {
        let fact;
        try {
          if (file.size > MAX_BYTES) throw new Error(`the file has ${file.size} bytes, expected at most ${MAX_BYTES}`);
          const bytes = new Uint8Array(await file.arrayBuffer());
          fact = await run('facts', path, { bytes }, { transfer: [bytes.buffer], urgent: false });
        } catch (error) {
          fact = { event: 'file', path, kind: 'other', bytes: file.size, problem: error instanceof Error ? error.message : String(error) };
        }
        progress(++done, contents.size);
        return fact;
      }),
  );
  root.setFiles(facts);
  return root;
}

/** @param {(files: Map<string, File>) => void} dropped */
export function acceptDrops(dropped) {
  const cover = byId('drop');
  let depth = 0;
  const hasFiles = (/** @type {DragEvent} */ event) => event.dataTransfer?.types.includes('Files');
  addEventListener('dragenter', (event) => {
    if (hasFiles(event)) cover.hidden = ++depth === 0;
  });
  addEventListener('dragleave', (event) => {
    if (hasFiles(event)) cover.hidden = --depth <= 0;
  });
  addEventListener('dragover', (event) => {
    if (hasFiles(event)) event.preventDefault();
  });
  addEventListener('drop', async (event) => {
    if (!event.dataTransfer || !hasFiles(event)) return;
    event.preventDefault();
    depth = 0;
    cover.hidden = true;
    /** @type {Map<string, File>} */
    const files = new Map();
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.());
    if (entries.some(Boolean))
      for (const entry of entries) {
        if (entry) await collect(entry, files);
      }
    else for (const file of event.dataTransfer.files) files.set(file.name, file);
    if (files.size > 0) dropped(files);
  });
}
