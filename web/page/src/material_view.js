// The view of a .hmat: a sphere with each material, and the values of its rows.
import { Mesh, SphereGeometry } from 'three';
import { choice, el, problemBox, slider, table } from './dom.js';
import { short } from './format.js';
import { linkList } from './inspector.js';
import { pageError } from './jobs.js';
import { loadMaterials } from './model_files.js';
import { takeStage } from './model_stage.js';

const SPHERE = [96, 64];

/** @param {import('./app.js').Context} context */
export async function open(context) {
  const { main, inspector, root, signal, open: openPath } = context;
  const stage = takeStage(),
    stageElement = el('div', { class: 'stage lit' }, stage.canvas),
    tools = el('div', { class: 'tools' }),
    geometry = new SphereGeometry(1, ...SPHERE),
    sphere = new Mesh(geometry);
  stage.canvas.setAttribute('aria-label', `Material ${context.file.path}`);
  main.replaceChildren(tools, stageElement);
  stage.attach();
  /** @type {any[]} */
  const materials = [];
  const end = () => {
    sphere.removeFromParent();
    stage.release(() => {
      geometry.dispose();
      for (const material of materials) {
        for (const value of Object.values(material)) if (value?.isTexture) value.dispose();
        material.dispose();
      }
    });
  };
  try {
    let loaded = await loadMaterials(context, stage.support()),
      row = 0,
      serial = 0;
    signal.throwIfAborted();
    geometry.computeTangents();
    // Textures repeat, so that texels of the sphere are about as large as those of a model.
    const uv = geometry.getAttribute('uv');
    for (let i = 0; i < uv.count; ++i) uv.setXY(i, 2 * uv.getX(i), 1 - uv.getY(i));
    stage.scene.add(sphere);
    stage.measure(sphere);
    stage.fit();
    const details = el('div', {});
    inspector.element.append(details);
    const show = async (/** @type {number} */ i) => {
      row = i;
      const mine = ++serial;
      try {
        const { material, textures } = await loaded.make(i);
        if (mine !== serial || signal.aborted) return;
        materials.push(material);
        sphere.material = /** @type {any} */ (material);
        const values = loaded.rows[i],
          numbers = (/** @type {number[]} */ list) => list.map((value) => short(Number(value.toPrecision(4)))).join(', ');
        details.replaceChildren(
          el(
            'section',
            { class: 'section' },
            el('h3', { text: `Row ${i}` }),
            table(
              ['Parameter', 'Value'],
              [
                ['Base color', numbers(values.baseColor)],
                ['Emissive', numbers(values.emissive)],
                ['Metallic', short(values.metallic)],
                ['Roughness', short(values.roughness)],
                ['Normal scale', short(values.normalScale)],
                ['Occlusion', short(values.occlusion)],
                ['Alpha', values.alphaMode],
                ['Alpha cutoff', short(values.alphaCutoff)],
                ['Double-sided', values.doubleSided ? 'yes' : 'no'],
                ['Unlit', values.unlit ? 'yes' : 'no'],
              ],
              'Parameters',
            ),
          ),
          el(
            'section',
            { class: 'section' },
            el('h3', { text: `Textures (${textures.length})` }),
            linkList(
              root,
              textures.map(({ name, path }) => ({ path, note: name.replace(/Tex$/, '') })),
              openPath,
            ),
          ),
          ...loaded.problems.map(({ place, what, hint }) =>
            el('section', { class: 'section' }, problemBox({ severity: 'warning', place, what, hint })),
          ),
        );
        stage.drawNow();
      } catch (error) {
        if (!signal.aborted) stageElement.append(problemBox(pageError(error)));
      }
    };
    tools.append(
      loaded.rows.length > 1
        ? choice(
            'Row',
            loaded.rows.map((/** @type {any} */ _, /** @type {number} */ i) => ({ value: String(i), text: String(i) })),
            '0',
            (value) => show(Number(value)),
          )
        : el('span', { class: 'soft', text: '1 material' }),
      slider('Light', { min: -4, max: 4, step: 0.25, value: 0, show: (value) => `${value > 0 ? '+' : ''}${value}` }, (value) => {
        stage.renderer.toneMappingExposure = 2 ** value;
        stage.draw();
      }),
      el('span', { class: 'spacer' }),
      el('button', { type: 'button', text: 'Fit', onclick: () => stage.fit() }),
    );
    await show(0);
    stage.retire();
    context.showLinks();
    return {
      key: (/** @type {KeyboardEvent} */ event) => {
        if (event.key === 'f') stage.fit();
        else return false;
        return true;
      },
      uses: (/** @type {string[] | null} */ paths) => paths === null || paths.some((path) => loaded.used.has(path)),
      update: async () => {
        loaded = await loadMaterials(context, stage.support());
        await show(Math.min(row, loaded.rows.length - 1));
        return true;
      },
      destroy: end,
    };
  } catch (error) {
    end();
    throw error;
  }
}
