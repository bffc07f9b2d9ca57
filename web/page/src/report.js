// The report of a root: where its bytes are, what the last build did, and what is wrong.
import { el, problemBox, segmented, table } from './dom.js';
import { count, counted, duration, familyOf, kindName, size } from './format.js';
import { memoryOf } from './inspector.js';
import { treemap } from './treemap.js';

const MOST_ROWS = 200;
/** Files of one size are read and compared only up to this many bytes in all. */
const MAX_HASHED_BYTES = 512 << 20;

/** @param {{ root: import('./data.js').Root, main: HTMLElement, signal: AbortSignal, open: (path: string) => void }} context */
export async function open({ root, main, signal, open: openPath }) {
  const report = el('div', { class: 'report', tabindex: 0, role: 'region', 'aria-label': 'Report' });
  const map = mapCard(root, openPath);
  report.append(numbersCard(root), map.element);
  for (const card of [
    warningsCard(root, openPath),
    budgetsCard(root),
    stepsCard(root, openPath),
    reasonsCard(root),
    largestCard(root, openPath),
    duplicatesCard(root, openPath, signal),
  ])
    if (card) report.append(card);
  main.replaceChildren(report);
  return { key: () => false, update: async () => false, destroy: () => map.destroy() };
}

/** @param {string} title @param {...import('./dom.js').Child} children */
const card = (title, ...children) => el('section', { class: 'card' }, el('h3', { text: title }), children);

/** A path that opens its asset. @param {string} path @param {(path: string) => void} open @param {string} [text] */
const link = (path, open, text = path) => el('button', { type: 'button', class: 'link', text, title: path, onclick: () => open(path) });

/** @param {import('./data.js').Root} root */
function numbersCard(root) {
  const summary = root.build.findLast((line) => line.event === 'summary'),
    errors = root.diagnostics.filter((line) => line.severity === 'error').length + root.files.filter((file) => file.problem).length;
  const warnings = root.diagnostics.filter((line) => line.severity === 'warning' && !line.accepted).length;
  const number = (/** @type {string} */ name, /** @type {string} */ value, kind = '') =>
    el('div', {}, el('b', { class: kind, text: value }), el('span', { class: 'soft', text: name }));
  return el(
    'section',
    { class: 'card wide' },
    el(
      'div',
      { class: 'numbers' },
      number('files', count(root.files.length)),
      number('on disk', size(root.files.reduce((sum, file) => sum + file.bytes, 0))),
      number('video memory', size(root.files.reduce((sum, file) => sum + memoryOf(file), 0))),
      number(errors === 1 ? 'error' : 'errors', count(errors), errors ? 'error' : 'ok'),
      number(warnings === 1 ? 'warning' : 'warnings', count(warnings), warnings ? 'warning' : 'ok'),
      summary ? number('last build', summary.ok ? duration(summary.seconds) : 'failed', summary.ok ? '' : 'error') : null,
      summary ? number('steps ran', `${count(summary.ran)} of ${count(summary.steps)}`) : null,
      summary?.preset ? number('preset', summary.preset) : null,
    ),
  );
}

/** @param {import('./data.js').Root} root @param {(path: string) => void} openPath */
function mapCard(root, openPath) {
  const holder = el('div', {}),
    kinds = [...new Set(root.files.map(familyOf))];
  /** @type {ReturnType<typeof treemap> | null} */
  let map = null;
  const show = (/** @type {string} */ what) => {
    map?.destroy();
    const items = root.files.map((file) => ({
      path: file.path,
      name: root.nameOf(file),
      kind: familyOf(file),
      weight: what === 'memory' ? memoryOf(file) : file.bytes,
    }));
    map = treemap(items, what === 'memory' ? 'Map of video memory' : 'Map of bytes on disk', openPath);
    holder.replaceChildren(map.element);
  };
  show('disk');
  const element = el(
    'section',
    { class: 'card wide' },
    el(
      'h3',
      {},
      'Where the bytes are',
      segmented(
        'What the map shows',
        [
          { value: 'disk', text: 'On disk' },
          { value: 'memory', text: 'Video memory' },
        ],
        'disk',
        show,
      ),
    ),
    holder,
    el(
      'div',
      { class: 'legend' },
      kinds.map((kind) => el('span', {}, el('i', { style: { background: `var(--${kind}, var(--other))` } }), kindName(kind))),
    ),
  );
  return { element, destroy: () => map?.destroy() };
}

/** The outputs of a source. @param {import('./data.js').Root} root @param {string} source */
const outputsOf = (root, source) =>
  root.files.filter((file) => file.source === source || file.source === source.split(' ')[0] || file.path === source);

/** @param {import('./data.js').Root} root @param {(path: string) => void} openPath */
function warningsCard(root, openPath) {
  const unique = root.diagnostics.filter((line) => line.severity !== 'note');
  const problems = root.files.filter((file) => file.problem);
  if (unique.length + problems.length === 0)
    return card(
      'Warnings and errors',
      el('p', { class: 'soft', text: root.build.length ? 'None.' : 'None known. The log of the last build is not available.' }),
    );
  /** @type {Map<string, any[]>} */
  const kinds = new Map();
  for (const line of unique) {
    const kind = line.severity === 'error' ? 'errors' : line.accepted ? 'accepted' : line.kind || line.code;
    kinds.set(kind, [...(kinds.get(kind) ?? []), line]);
  }
  return card(
    'Warnings and errors',
    el(
      'div',
      { class: 'grow' },
      problems
        .slice(0, MOST_ROWS)
        .map((file) =>
          el('div', {}, problemBox({ file: file.path, what: /** @type {string} */ (file.problem) }), link(file.path, openPath)),
        ),
      [...kinds]
        .sort((a, b) => b[1].length - a[1].length)
        .map(([kind, list]) =>
          el(
            'details',
            { open: kinds.size < 6 },
            el('summary', { text: `${kind} (${list.length})` }),
            list.slice(0, MOST_ROWS).map((line) => {
              const [output] = outputsOf(root, line.file);
              return el(
                'div',
                {},
                problemBox({
                  ...line,
                  severity: line.accepted ? 'note' : line.severity,
                  hint: line.accepted ? `accepted: ${line.accepted}` : line.hint,
                }),
                output ? link(output.path, openPath, `Open ${output.path}`) : null,
              );
            }),
          ),
        ),
    ),
  );
}

/** "all textures", "textures of ui/*". @param {any} budget */
function budgetName({ match, kind }) {
  const what = kind === '' ? 'files' : kind === 'audio' ? 'sounds' : kind + (kind === 'mesh' ? 'es' : 's');
  return /^(\*\*\/)?\*+$/.test(match) ? `all ${what}` : `${what} of ${match}`;
}

/** @param {import('./data.js').Root} root */
function budgetsCard(root) {
  if (root.budgets.length === 0) return null;
  const show = (/** @type {any} */ budget, /** @type {number} */ value) =>
    budget.unit === 'texture_size' ? `${count(value)} texels` : size(value);
  return card(
    'Budgets',
    el(
      'div',
      { class: 'grow bars' },
      root.budgets.map((budget) => {
        const meter = el('meter', {
          min: 0,
          max: Math.max(budget.allowed, budget.used),
          high: budget.allowed,
          optimum: 0,
          'aria-label': budgetName(budget),
        });
        meter.value = budget.used;
        return el(
          'div',
          { class: 'budget' },
          el('div', {}, el('strong', { text: budgetName(budget) }), ` ${budget.unit === 'memory' ? 'in memory' : ''}`),
          meter,
          el('span', {
            class: 'soft',
            text: `${show(budget, budget.used)} of ${show(budget, budget.allowed)}${budget.used > budget.allowed ? ' — over the limit' : ''}`,
          }),
        );
      }),
    ),
  );
}

/** @param {import('./data.js').Root} root @param {(path: string) => void} openPath */
function stepsCard(root, openPath) {
  const steps = root.build.filter((line) => line.event === 'step_finished').sort((a, b) => b.seconds - a.seconds);
  if (steps.length === 0) return null;
  const longest = steps[0].seconds || 1;
  return card(
    'Slowest steps',
    el(
      'div',
      { class: 'grow bars' },
      steps.slice(0, 60).map((step) => {
        const output =
            root.files.find((file) => file.path.startsWith(`${step.stem}.`)) ??
            root.files.find((file) => file.path.startsWith(`${step.stem}/`)),
          bar = el('div', { class: 'bar' });
        bar.style.setProperty('--part', `${(100 * step.seconds) / longest}%`);
        bar.append(
          output ? link(output.path, openPath, step.source) : el('span', { text: step.source }),
          el('span', {
            class: 'soft',
            text: ` ${step.recipe}${step.mode ? `, ${step.mode}` : ''}${step.restored ? ', from the cache' : ''}`,
          }),
        );
        return el('div', { class: 'bar-row' }, bar, el('span', { class: 'value', text: duration(step.seconds) }));
      }),
    ),
  );
}

/** @param {import('./data.js').Root} root */
function reasonsCard(root) {
  const steps = root.build.filter((line) => line.event === 'step_finished' || line.event === 'step_failed');
  if (steps.length === 0) return null;
  /** @type {Map<string, any[]>} */
  const reasons = new Map();
  for (const step of steps) {
    const text =
      step.reason?.kind === 'input_changed' || step.reason?.kind === 'setting_changed'
        ? step.reason.text
        : (step.reason?.text ?? 'unknown');
    reasons.set(text, [...(reasons.get(text) ?? []), step]);
  }
  return card(
    'Why steps ran',
    el(
      'div',
      { class: 'grow' },
      [...reasons]
        .sort((a, b) => b[1].length - a[1].length)
        .slice(0, MOST_ROWS)
        .map(([text, list]) =>
          el(
            'details',
            {},
            el('summary', { text: `${text} (${counted(list.length, 'step')})` }),
            table(
              ['Source', 'Recipe', 'Time'],
              list.slice(0, MOST_ROWS).map((step) => [step.source, step.recipe, duration(step.seconds)]),
              text,
            ),
          ),
        ),
    ),
  );
}

/** @param {import('./data.js').Root} root @param {(path: string) => void} openPath */
function largestCard(root, openPath) {
  const largest = [...root.files].sort((a, b) => b.bytes - a.bytes).slice(0, 50);
  return card(
    'Largest files',
    table(
      ['File', 'Kind', 'On disk', 'Video memory'],
      largest.map((file) => [
        link(file.path, openPath, root.nameOf(file)),
        kindName(file.kind),
        size(file.bytes),
        memoryOf(file) ? size(memoryOf(file)) : '',
      ]),
      'Largest files',
    ),
  );
}

/** @param {import('./data.js').Root} root @param {(path: string) => void} openPath @param {AbortSignal} signal */
function duplicatesCard(root, openPath, signal) {
  const holder = el('div', { class: 'grow', role: 'status' }),
    known = root.files.every((file) => file.hash);
  const made = card('Duplicates', holder);
  const show = (/** @type {Map<string, import('./data.js').FileFact[]>} */ groups) => {
    const list = [...groups.values()]
      .filter((files) => files.length > 1 && files[0].bytes > 0)
      .sort((a, b) => b[0].bytes * (b.length - 1) - a[0].bytes * (a.length - 1));
    const wasted = list.reduce((sum, files) => sum + files[0].bytes * (files.length - 1), 0);
    holder.replaceChildren(
      list.length === 0
        ? el('p', { class: 'soft', text: 'No two files have the same bytes.' })
        : el('p', {
            text: `${counted(list.length, 'group')} of equal files; ${size(wasted)} could be saved. A pack stores equal files once.`,
          }),
      ...list.slice(0, MOST_ROWS).map((files) =>
        el(
          'details',
          {},
          el('summary', { text: `${files.length} × ${size(files[0].bytes)}: ${root.nameOf(files[0])}` }),
          el(
            'ul',
            { class: 'links' },
            files.map((file) => el('li', {}, link(file.path, openPath, root.nameOf(file)))),
          ),
        ),
      ),
    );
  };
  const groupBy = (/** @type {(file: import('./data.js').FileFact) => string} */ key) => {
    /** @type {Map<string, import('./data.js').FileFact[]>} */
    const groups = new Map();
    for (const file of root.files) groups.set(key(file), [...(groups.get(key(file)) ?? []), file]);
    return groups;
  };
  if (known && root.files.length > 0) {
    show(groupBy((file) => file.hash));
    return made;
  }
  const bySize = [...groupBy((file) => String(file.bytes)).values()].filter((files) => files.length > 1 && files[0].bytes > 0),
    bytes = bySize.flat().reduce((sum, file) => sum + file.bytes, 0);
  if (bySize.length === 0) show(new Map());
  else if (bytes > MAX_HASHED_BYTES || !globalThis.crypto?.subtle)
    holder.append(
      el('p', {
        class: 'soft',
        text: `${counted(bySize.flat().length, 'file')} have the size of another one. They are too large to compare here.`,
      }),
    );
  else {
    holder.append(
      el('button', {
        type: 'button',
        text: `Compare ${counted(bySize.flat().length, 'file')} of equal size (${size(bytes)})`,
        onclick: async () => {
          /** @type {Map<string, import('./data.js').FileFact[]>} */
          const groups = new Map();
          holder.textContent = 'Reading …';
          for (const file of bySize.flat()) {
            const digest = await root
              .read(file.path, signal)
              .then((data) => crypto.subtle.digest('SHA-256', data))
              .then((hash) => [...new Uint8Array(hash)].join(','))
              .catch(() => file.path);
            if (signal.aborted) return;
            groups.set(digest, [...(groups.get(digest) ?? []), file]);
          }
          show(groups);
        },
      }),
    );
  }
  return made;
}
