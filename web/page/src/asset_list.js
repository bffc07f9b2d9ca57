// The left column: search, filters and order of the tree.
import { byId, el } from './dom.js';
import { count, counted, kindName, size } from './format.js';
import { memoryOf } from './inspector.js';
import { showThumbnail } from './thumbnails.js';
import { Tree } from './tree.js';

const SEARCH_DELAY_MS = 60;

export class AssetTree {
  /** @param {(file: import('./data.js').FileFact) => void} open */
  constructor(open) {
    /** @type {import('./data.js').Root | null} */
    this.root = null;
    /** @type {Set<string>} */
    this.kinds = new Set();
    this.onlyProblems = false;
    this.search = byId('search');
    this.order = byId('order');
    this.tree = new Tree(byId('tree'), {
      open,
      nameOf: (file) => this.root?.nameOf(file) ?? file.path,
      thumbnail: (file, place) => (this.root ? showThumbnail(this.root, file, place) : () => {}),
      severity: (file) => this.severityOf(file),
    });
    let timer = 0;
    this.search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = window.setTimeout(() => this.apply(), SEARCH_DELAY_MS);
    });
    this.search.addEventListener('keydown', (/** @type {KeyboardEvent} */ event) => {
      if (event.key === 'ArrowDown' || event.key === 'Enter') {
        event.preventDefault();
        byId('tree').focus();
        const row = this.tree.rows.find((one) => one.file);
        if (row?.file && !this.tree.rows.some((one) => one.file?.path === this.tree.current)) open(row.file);
      } else if (event.key === 'Escape') {
        this.search.value = '';
        this.apply();
        this.search.blur();
      }
    });
    this.order.addEventListener('change', () => this.apply());
  }

  /** @param {import('./data.js').FileFact} file */
  severityOf(file) {
    const problems = this.root?.problemsOf(file) ?? [];
    return problems.some((one) => one.severity === 'error')
      ? 'error'
      : problems.some((one) => one.severity === 'warning' && !one.accepted)
        ? 'warning'
        : '';
  }

  /** @param {import('./data.js').Root} root */
  show(root) {
    if (this.root !== root) {
      this.kinds.clear();
      this.onlyProblems = false;
      this.tree.closed.clear();
      this.search.value = '';
    }
    this.root = root;
    this.showFilters();
    this.apply();
  }

  showFilters() {
    const files = this.root?.files ?? [];
    /** @type {Map<string, number>} */
    const counts = new Map();
    let problems = 0;
    for (const file of files) {
      const kind = this.kindOf(file);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (this.severityOf(file)) ++problems;
    }
    const chip = (/** @type {string} */ text, /** @type {number} */ n, /** @type {boolean} */ pressed, /** @type {() => void} */ press) =>
      el(
        'button',
        {
          type: 'button',
          'aria-pressed': String(pressed),
          onclick: () => {
            press();
            this.showFilters();
            this.apply();
          },
        },
        text,
        el('span', { text: count(n) }),
      );
    const kinds = [...counts].sort((a, b) => b[1] - a[1]);
    byId('filters').replaceChildren(
      ...(kinds.length > 1
        ? kinds.map(([kind, n]) =>
            chip(kindName(kind), n, this.kinds.has(kind), () => {
              if (!this.kinds.delete(kind)) this.kinds.add(kind);
            }),
          )
        : []),
      ...(problems || this.onlyProblems
        ? [
            chip('With problems', problems, this.onlyProblems, () => {
              this.onlyProblems = !this.onlyProblems;
            }),
          ]
        : []),
    );
  }

  /** @param {import('./data.js').FileFact} file */
  kindOf(file) {
    return file.kind === 'asset' ? (file.type ?? 'asset') : file.kind;
  }

  apply() {
    const { root } = this;
    if (!root) return;
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean),
      order = this.order.value;
    const files = root.files.filter((file) => {
      if (this.kinds.size > 0 && !this.kinds.has(this.kindOf(file))) return false;
      if (this.onlyProblems && !this.severityOf(file)) return false;
      if (words.length === 0) return true;
      const text = `${root.nameOf(file)} ${file.source ?? ''}`.toLowerCase();
      return words.every((/** @type {string} */ word) => text.includes(word));
    });
    const weight = order === 'memory' ? memoryOf : (/** @type {any} */ file) => file.bytes;
    const sorted = order === 'folders' ? files : [...files].sort((a, b) => weight(b) - weight(a));
    const narrowed = words.length > 0 || this.kinds.size > 0 || this.onlyProblems;
    this.tree.show(sorted, order !== 'folders' || (narrowed && files.length !== root.files.length && words.length > 0));
    byId('totals').textContent =
      `${narrowed ? `${count(files.length)} of ` : ''}${counted(root.files.length, 'file')}, ${size(files.reduce((sum, file) => sum + file.bytes, 0))}`;
  }
}
