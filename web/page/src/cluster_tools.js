// The controls of a model with clusters: the error that may be seen, or a level of detail, and what is drawn.
import { choice, el, facts, slider, table, toggle } from './dom.js';
import { count, counted, size } from './format.js';
import { ClusterView } from './model_clusters.js';

/** Errors in pixels are powers of 2. */
const ERROR = { min: -2, max: 8, step: 0.25 };

/** Levels of a damaged file may be many. */
const MOST_LEVELS = 64;

/** @typedef {import('./model_clusters.js').CutSettings} CutSettings */

/** @returns {CutSettings} */
export const firstSettings = () => ({ pixels: 1, level: null, isFrozen: false, boxes: false });

/** @param {number} pixels */
const pixelText = (pixels) => `${Number(pixels.toPrecision(pixels < 1 ? 2 : 3))} px`;

export class ClusterTools {
  /**
   * @param {import('./model_load.js').Model} model with clusters
   * @param {import('./model_stage.js').Stage} stage
   * @param {{ settings: CutSettings, moves: () => boolean, changed: () => void, failed: (error: any) => void }} hooks
   */
  constructor({ clusters }, stage, hooks) {
    this.clusters = clusters;
    this.stage = stage;
    this.settings = hooks.settings;
    this.text = el('div', { class: 'note', role: 'status' });
    this.view = new ClusterView(clusters, stage, {
      ...hooks,
      changed: () => {
        this.showCounts();
        hooks.changed();
      },
    });
    const levels = Math.min(MOST_LEVELS, Math.max(...clusters.map(({ facts: { levels: rows } }) => rows.length)));
    const cuts = [
      { value: '', text: 'By error' },
      ...Array.from({ length: levels }, (_, i) => ({ value: String(i), text: i === 0 ? 'Level 0 (full)' : `Level ${i}` })),
    ];
    this.cut = choice('Cut', cuts, this.settings.level === null ? '' : String(this.settings.level), (value) =>
      this.setLevel(value === '' ? null : Number(value)),
    );
    this.error = slider(
      'Error',
      { ...ERROR, value: Math.log2(this.settings.pixels), show: (value) => pixelText(2 ** value) },
      (value) => {
        this.settings.pixels = 2 ** value;
        this.setLevel(null);
      },
    );
    this.freeze = toggle(
      'Freeze',
      this.settings.isFrozen,
      (on) => {
        this.settings.isFrozen = on;
        stage.draw();
      },
      'Keep the clusters that are drawn while the camera moves',
    );
    this.elements = [this.cut, this.error, this.freeze];
  }

  get levelCount() {
    return this.cut.select.options.length - 1;
  }

  /** Draws a level of detail; null: what the error allows. @param {number | null} level */
  setLevel(level) {
    this.settings.level = level;
    this.cut.select.value = level === null ? '' : String(level);
    if (this.settings.isFrozen) this.freeze.set(false);
    this.stage.draw();
  }

  /** Whether the boxes of clusters are drawn. @param {boolean} on */
  setBoxes(on) {
    this.settings.boxes = on;
    this.stage.draw();
  }

  showCounts() {
    const { triangles, clusters, pages, total, allPages } = this.view.counts();
    this.text.textContent =
      `${count(triangles)} of ${counted(total, 'triangle')} in ${counted(clusters, 'cluster')}` +
      (this.settings.level === null ? `, ${count(pages)} of ${counted(allPages, 'page')}` : '');
  }

  /** @param {import('./inspector.js').Inspector} inspector */
  fill(inspector) {
    for (const { path, facts: of } of this.clusters) {
      const title = this.clusters.length > 1 ? `Clusters of ${path}` : 'Clusters';
      inspector.section(
        title,
        facts([
          ['Triangles of the source', count(of.sourceTriangles)],
          ['Triangles of all clusters', count(of.triangles)],
          ['Clusters', count(of.clusters)],
          ['Groups', count(of.groups)],
          ['Pages', `${count(of.pages)}, at most ${size(128 << 10)} each`],
          ['Error of positions', String(Number(of.positionError.toPrecision(3)))],
          ['Bits of positions', of.channels[0]?.bits],
        ]),
        table(
          ['Level', 'Clusters', 'Triangles', 'Share'],
          of.levels.slice(0, MOST_LEVELS).map(({ clusters, triangles }, i) => [
            String(i),
            count(clusters),
            count(triangles),
            `${((100 * triangles) / Math.max(1, of.sourceTriangles)).toFixed(1)} %`,
          ]),
          `${title}: levels`,
        ),
      );
    }
  }

  close() {
    this.text.remove();
    this.view.close();
  }
}
