// Clusters in examples/vulkan, for vulkan.cjs: the selection on the device must be the one on the processor, and
// occlusion culling must not change the picture.
'use strict';
const fs = require('fs');
const path = require('path');

const COLUMNS = 240, ROWS = 120;

// A torus with bumps, of two materials in patches.
function writeTorus(to) {
  const position = new Float32Array(COLUMNS * ROWS * 3), indices = [[], []];
  for (let j = 0; j < ROWS; ++j) {
    for (let i = 0; i < COLUMNS; ++i) {
      const a = 2 * Math.PI * i / COLUMNS, b = 2 * Math.PI * j / ROWS;
      const r = 0.35 + 0.03 * Math.sin(9 * a) * Math.cos(5 * b) + 0.004 * Math.sin(41 * a + 17 * b);
      position.set([(1 + r * Math.cos(b)) * Math.cos(a), r * Math.sin(b), (1 + r * Math.cos(b)) * Math.sin(a)], 3 * (j * COLUMNS + i));
      const at = (x, y) => (j + y) % ROWS * COLUMNS + (i + x) % COLUMNS;
      indices[i * 7 / COLUMNS + j * 3 / ROWS & 1].push(at(0, 0), at(0, 1), at(1, 0), at(1, 0), at(0, 1), at(1, 1));
    }
  }
  const parts = [position, ...indices.map((list) => new Uint32Array(list))].map((a) => Buffer.from(a.buffer));
  const bufferViews = parts.map((part, i) => ({ buffer: 0, byteLength: part.length,
    byteOffset: parts.slice(0, i).reduce((sum, before) => sum + before.length, 0) }));
  const buffer = Buffer.concat(parts);
  fs.mkdirSync(to, { recursive: true });
  fs.writeFileSync(path.join(to, 'torus.gltf'), JSON.stringify({
    asset: { version: '2.0' }, scene: 0, scenes: [{ nodes: [0, 1] }],
    nodes: [{ mesh: 0 }, { mesh: 0, translation: [0.9, 0.2, -1.2], rotation: [0.70710678, 0, 0, 0.70710678], scale: [0.8, 0.8, 0.8] }],
    meshes: [{ primitives: [0, 1].map((m) => ({ attributes: { POSITION: 0 }, indices: 1 + m, material: m })) }],
    materials: [[0.9, 0.3, 0.2, 1], [0.2, 0.5, 0.9, 1]].map((baseColorFactor) => (
      { pbrMetallicRoughness: { baseColorFactor, metallicFactor: 0, roughnessFactor: 0.7 } })),
    accessors: [{ bufferView: 0, componentType: 5126, count: COLUMNS * ROWS, type: 'VEC3', min: [-2, -1, -2], max: [2, 1, 2] },
      ...indices.map((list, i) => ({ bufferView: 1 + i, componentType: 5125, count: list.length, type: 'SCALAR' }))],
    bufferViews, buffers: [{ byteLength: buffer.length, uri: `data:application/octet-stream;base64,${buffer.toString('base64')}` }],
  }));
}

// Adds the counts of clusters to what the program said.
function countsOf(out) {
  const said = /^clusters: (\d+) selected \((\d+) unlike the reference\), (\d+) drawn first, (\d+) drawn after, (\d+) occluded; (\d+) pages in (\d+) of (\d+) slots, (\d+) missing$/m;
  const [selected, unlike, first, after, occluded, pages, used, slots, missing] = said.exec(out).slice(1).map(Number);
  return { selected, unlike, first, after, occluded, pages, used, slots, missing };
}

// tools: the functions of vulkan.cjs. mounts: what every picture needs.
function checkClusters({ compile, cook, draw, difference, isClose, read, expect }, mounts) {
  const packs = Object.fromEntries([['hcluster', 'cluster'], ['hmesh', 'levels']].map(([suffix, lod]) =>
    [suffix, compile(`torus-${suffix}`, writeTorus, 'hmesh', 'auto', lod)]));
  const front = ['--frame', 0, 0, 0, 1.4, '--view', 20, 35];
  const instance = ['--at', 0.5, -0.8, -0.6, '--yaw', 40, '--scale', 0.7];
  for (const count of [1, 2]) {
    const of = count === 1 ? 'clusters' : 'clusters of two instances';
    const picture = (name, container, args) => {
      const model = ['--model', `torus.${container}`], lod = container === 'hmesh' ? ['--lod', 0] : [];
      const done = draw(`torus-${name}`, [...model, ...lod, ...count === 2 ? [...model, ...lod, ...instance] : [], ...front, ...args],
        [...mounts, '--mount', packs[container]]);
      return { ...done, bytes: fs.readFileSync(done.out), ...container === 'hcluster' ? countsOf(done.said) : {} };
    };
    const whole = picture('whole', 'hmesh', []);
    const fine = picture('fine', 'hcluster', ['--error', 0.01, '--no-occlusion']);
    const off = difference(read(fine.out), read(whole.out));
    console.log(`${of}: ${fine.selected} selected, ${fine.pages} pages, mean ${off.mean.toFixed(3)}, ${(100 * off.share).toFixed(2)} % off`);
    expect(`the picture of ${of} to be that of the mesh`, isClose(off));

    const plain = picture('plain', 'hcluster', ['--no-occlusion']);
    const unculled = picture('unculled', 'hcluster', ['--no-culling']);
    const still = picture('still', 'hcluster', ['--frames', 3]);
    const first = picture('first', 'hcluster', []);
    const turned = picture('turned', 'hcluster', ['--frames', 4, '--turn', 12]);
    console.log(`${of}: ${unculled.selected} selected without culling, ${plain.selected} with it; still: ${still.occluded} occluded; ` +
      `turned: ${turned.after} drawn after, ${turned.occluded} occluded`);
    expect(`fewer of ${of} at a larger error`, plain.selected < fine.selected);
    expect(`fewer of ${of} with culling`, plain.selected < unculled.selected);
    expect(`the first picture of ${of} to be drawn in the second pass`, first.first === 0 && first.after > 0);
    expect(`some of ${of} to be occluded`, still.occluded > 0 && still.after === 0);
    expect(`some of ${of} to appear when the view turns`, turned.after > 0 && turned.first > 0 && turned.occluded > 0);
    for (const [what, one] of Object.entries({ fine, plain, unculled, still, first, turned })) {
      expect(`${of} selected as by the reference (${what})`, one.unlike === 0 && one.selected === one.first + one.after + one.occluded);
      if (what !== 'fine') expect(`the same picture of ${of} (${what})`, one.bytes.equals(plain.bytes));
    }

    // A pool that is too small: coarser, but without holes.
    const tight = picture('tight', 'hcluster', ['--error', 0.01, '--cluster-slots', Math.floor(fine.used / 3)]);
    const coarse = difference(read(tight.out), read(whole.out));
    console.log(`${of} in ${tight.slots} slots: ${tight.missing} pages missing, mean ${coarse.mean.toFixed(3)}, ${(100 * coarse.share).toFixed(2)} % off`);
    expect(`pages of ${of} to be missing, within the pool`, tight.missing > 0 && tight.used <= tight.slots && tight.unlike === 0);
    expect(`nearly the same picture of ${of} in a small pool`, coarse.mean < 4 && coarse.share < 0.05);
  }

  // The two nodes of the source as a scene, in a tree and cooked.
  const scene = compile('torus-scene', writeTorus, 'hmesh', 'true', 'cluster'), { cooked, find } = cook('torus-scene');
  const flat = compile('torus-flat', writeTorus, 'hmesh', 'true');
  const whole = draw('torus-flat', ['--model', 'torus.hscene', '--lod', 0, ...front], [...mounts, '--mount', flat]);
  for (const [what, mount, model] of [['a scene', scene, 'torus.hscene'], ['a cooked scene', cooked, find('Model', 'torus')]]) {
    const drawn = draw('torus-scene', ['--model', model, ...front, '--error', 0.01, '--frames', 3], [...mounts, '--mount', mount]);
    const counts = countsOf(drawn.said), off = difference(read(drawn.out), read(whole.out));
    console.log(`clusters of ${what}: ${counts.selected} selected, ${counts.occluded} occluded, mean ${off.mean.toFixed(3)}, ${(100 * off.share).toFixed(2)} % off`);
    expect(`the picture of the clusters of ${what} to be that of the meshes`, isClose(off) && counts.unlike === 0 && counts.occluded > 0);
  }
}

module.exports = { checkClusters };
