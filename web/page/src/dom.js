// Elements. Data reaches the page only as text and attributes, never as HTML.

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Attributes `class`, `text`, `dataset` and `on*` functions are set as properties; false and null are left out
 */

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === 'text') made.textContent = String(value);
    else if (name === 'class') made.className = value;
    else if (name === 'dataset') Object.assign(made.dataset, value);
    else if (name === 'style') Object.assign(made.style, value);
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, '');
    else made.setAttribute(name, String(value));
  }
  for (const child of children.flat())
    if (child !== null && child !== undefined && child !== false) made.append(typeof child === 'number' ? String(child) : child);
  return made;
}

/** The element of an id, which index.html has. @param {string} id @returns {any} */
export const byId = (id) => document.getElementById(id);

/**
 * A group of buttons of which one or none is pressed.
 * @param {string} label of the group, for screen readers
 * @param {{ value: string, text: string, title?: string }[]} options
 * @param {string} value
 * @param {(value: string) => void} changed
 */
export function segmented(label, options, value, changed) {
  const buttons = options.map((option) =>
    el('button', {
      type: 'button',
      text: option.text,
      title: option.title,
      'aria-pressed': option.value === value,
      onclick: () => {
        set(option.value);
        changed(option.value);
      },
    }),
  );
  /** @param {string} next */
  function set(next) {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(options[i].value === next)));
  }
  set(value);
  return Object.assign(el('div', { class: 'segmented', role: 'group', 'aria-label': label }, buttons), { set });
}

/** A button that is on or off. @param {string} text @param {boolean} on @param {(on: boolean) => void} changed @param {string} [title] */
export function toggle(text, on, changed, title) {
  const button = el('button', {
    type: 'button',
    class: 'toggle',
    text,
    title,
    'aria-pressed': String(on),
    onclick: () => set(button.getAttribute('aria-pressed') !== 'true'),
  });
  /** @param {boolean} next */
  function set(next) {
    button.setAttribute('aria-pressed', String(next));
    changed(next);
  }
  return Object.assign(button, { set });
}

/**
 * A select with a label.
 * @param {string} label
 * @param {{ value: string, text: string }[]} options
 * @param {string} value
 * @param {(value: string) => void} changed
 */
export function choice(label, options, value, changed) {
  const select = el(
    'select',
    { 'aria-label': label, onchange: () => changed(select.value) },
    options.map((option) => el('option', { value: option.value, text: option.text, selected: option.value === value })),
  );
  return Object.assign(el('label', { class: 'field' }, el('span', { text: label }), select), { select });
}

/**
 * A slider with a label and its value.
 * @param {string} label
 * @param {{ min: number, max: number, step: number, value: number, show?: (value: number) => string }} range
 * @param {(value: number) => void} changed
 */
export function slider(label, { min, max, step, value, show = String }, changed) {
  const output = el('output', { text: show(value) });
  const input = el('input', {
    type: 'range',
    min,
    max,
    step,
    'aria-label': label,
    oninput: () => {
      output.textContent = show(Number(input.value));
      changed(Number(input.value));
    },
  });
  input.value = String(value);
  /** @param {number} next */
  const set = (next) => {
    input.value = String(next);
    output.textContent = show(next);
  };
  return Object.assign(el('label', { class: 'field' }, el('span', { text: label }), input, output), { input, set });
}

const NUMBER = /^[-+\d][\d,. ]*( ?(B|KB|MB|GB|%|s|ms|dB))?$/;

/** @param {Child | Child[]} cell */
const isNumber = (cell) => typeof cell === 'number' || (typeof cell === 'string' && (cell === '' || NUMBER.test(cell)));

/**
 * A table. Columns of numbers are aligned to the right.
 * @param {string[]} head
 * @param {(Child | Child[])[][]} rows
 * @param {string} [caption] for screen readers
 */
export function table(head, rows, caption) {
  const classes = head.map((_, i) => (i > 0 && rows.every((row) => isNumber(row[i])) ? 'number' : null));
  return el(
    'div',
    { class: 'table', tabindex: '0', role: 'region', 'aria-label': caption ?? head.join(', ') },
    el(
      'table',
      {},
      caption && el('caption', { class: 'hidden', text: caption }),
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          head.map((text, i) => el('th', { scope: 'col', text, class: classes[i] })),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row) =>
          el(
            'tr',
            {},
            row.map((cell, i) => el('td', { class: classes[i] }, cell)),
          ),
        ),
      ),
    ),
  );
}

/** Names and values. @param {[string, Child | Child[]][]} pairs */
export function facts(pairs) {
  return el(
    'dl',
    { class: 'facts' },
    pairs
      .filter(([, value]) => value !== undefined && value !== null && value !== '')
      .flatMap(([name, value]) => [el('dt', { text: name }), el('dd', {}, value)]),
  );
}

/** @param {{ file?: string, place?: string, what: string, hint?: string, severity?: string }} problem */
export function problemBox({ file, place, what, hint, severity = 'error' }) {
  return el(
    'div',
    { class: `problem ${severity}`, role: severity === 'error' ? 'alert' : 'note' },
    el('strong', { text: severity === 'error' ? 'Error' : severity === 'warning' ? 'Warning' : 'Note' }),
    file || place ? el('code', { text: [file, place].filter(Boolean).join(': ') }) : null,
    el('span', { text: what }),
    hint ? el('span', { class: 'hint', text: hint }) : null,
  );
}
