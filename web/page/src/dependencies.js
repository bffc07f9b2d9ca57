// The graph of a cooked registry: what an asset needs, who needs it, and why it is there.
import { el, table } from './dom.js';
import { count, counted, size } from './format.js';

const MOST_ROWS = 500;

/** @param {{ root: import('./data.js').Root, main: HTMLElement, open: (path: string) => void }} context */
export async function open({ root, main, open: openPath }) {
  /** @type {any[]} */
  const assets = root.registry?.Assets ?? [],
    byUuid = new Map(assets.map((asset) => [asset.Uuid, asset]));
  const needs = (/** @type {any} */ asset) =>
    [...(asset.Dependencies ?? []), ...(asset.SoftDependencies ?? [])].map((uuid) => byUuid.get(uuid)).filter(Boolean);
  /** @type {Map<any, any[]>} */
  const users = new Map(assets.map((asset) => [asset, []]));
  for (const asset of assets) for (const other of needs(asset)) users.get(other)?.push(asset);
  const bytes = (/** @type {any} */ asset) => root.byPath.get(asset.CookedPath)?.bytes ?? 0;
  const below = (/** @type {any} */ asset) => {
    const found = new Set([asset]),
      stack = [asset];
    while (stack.length > 0)
      for (const other of needs(stack.pop()))
        if (!found.has(other)) {
          found.add(other);
          stack.push(other);
        }
    return found;
  };
  /** The shortest way from an asset that nothing needs. @param {any} asset @returns {any[]} */
  const why = (asset) => {
    const before = new Map([[asset, null]]),
      queue = [asset];
    for (const one of queue) {
      if (users.get(one)?.length === 0) {
        const way = [];
        for (let at = one; at; at = before.get(at)) way.push(at);
        return way;
      }
      for (const user of users.get(one) ?? [])
        if (!before.has(user)) {
          before.set(user, one);
          queue.push(user);
        }
    }
    return [asset];
  };
  const details = el('section', { class: 'card' }),
    list = el('div', { class: 'grow' });
  const pick = (/** @type {any} */ asset, text = asset.VirtualPath) =>
    el('button', { type: 'button', class: 'link', text, title: asset.CookedPath, onclick: () => show(asset) });
  const show = (/** @type {any} */ asset) => {
    const all = below(asset),
      way = why(asset);
    details.replaceChildren(
      el(
        'h3',
        {},
        el('span', { text: asset.VirtualPath }),
        el('button', { type: 'button', text: 'Open', onclick: () => openPath(asset.CookedPath) }),
      ),
      el('p', {
        class: 'soft',
        text: `${asset.Type}, ${size(bytes(asset))}; with everything that it needs ${counted(all.size, 'asset')}, ${size([...all].reduce((sum, one) => sum + bytes(one), 0))}`,
      }),
      el(
        'div',
        {},
        el('strong', { text: 'Why is it here?' }),
        way.length === 1 && users.get(asset)?.length === 0
          ? el('p', { text: 'Nothing needs it: it is a root.' })
          : el(
              'ol',
              {},
              way.map((one, i) => el('li', {}, pick(one), el('span', { class: 'soft', text: ` ${one.Type}${i === 0 ? ', a root' : ''}` }))),
            ),
      ),
      section('Needs', needs(asset)),
      section('Needed by', users.get(asset) ?? []),
    );
  };
  const section = (/** @type {string} */ title, /** @type {any[]} */ found) =>
    el(
      'div',
      { class: 'grow' },
      el('strong', { text: `${title} (${found.length})` }),
      found.length === 0
        ? el('p', { class: 'soft', text: 'None.' })
        : table(
            ['Asset', 'Type', 'Size'],
            found.slice(0, MOST_ROWS).map((one) => [pick(one), one.Type, size(bytes(one))]),
            title,
          ),
    );
  const search = el('input', {
    type: 'search',
    placeholder: 'Search assets',
    'aria-label': 'Search assets of the registry',
    oninput: () => fill(),
  });
  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean),
      found = assets.filter((asset) =>
        words.every((word) => `${asset.VirtualPath} ${asset.Type} ${asset.Uuid}`.toLowerCase().includes(word)),
      );
    found.sort((a, b) => (users.get(b)?.length ?? 0) - (users.get(a)?.length ?? 0));
    list.replaceChildren(
      table(
        ['Asset', 'Type', 'Size', 'Needs', 'Needed by'],
        found
          .slice(0, MOST_ROWS)
          .map((asset) => [pick(asset), asset.Type, size(bytes(asset)), needs(asset).length, users.get(asset)?.length ?? 0]),
        'Assets',
      ),
      found.length > MOST_ROWS
        ? el('p', { class: 'soft', text: `${count(found.length - MOST_ROWS)} more; search to narrow the list` })
        : '',
    );
  };
  fill();
  main.replaceChildren(
    el(
      'div',
      { class: 'report' },
      el('section', { class: 'card' }, el('h3', { text: `${counted(assets.length, 'asset')} of the registry` }), search, list),
      details,
    ),
  );
  const first = [...users].sort((a, b) => b[1].length - a[1].length)[0]?.[0];
  if (first) show(first);
  return { key: () => false, update: async () => false, destroy: () => {} };
}
