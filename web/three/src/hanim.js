// Clips of a .hanim, versions 1 and 2: docs/formats/hanim.md of assetc.
import { limitError, Reader } from './reader.js';

/**
 * A track. Values lie key after key; those of a cubic spline are in-tangent, value and out-tangent of each key.
 * @typedef {object} Track
 * @property {number} property 0 translation, 1 rotation (x y z w), 2 scale, 3 morph weights, 4 visibility, 5 to 10 of a camera, 11 to
 *   15 of a light
 * @property {number} components of a value
 * @property {number} object the joint, node, camera or light
 * @property {number} first the morph target of the first value
 * @property {'step' | 'linear' | 'cubic'} kind
 * @property {Float32Array} times in seconds
 * @property {Float32Array} values
 *
 * @typedef {{ name: string, duration: number, tracks: Track[] }} Clip
 * @typedef {{ name: string, parent: number, translation: number[], rotation: number[], scale: number[] }} ClipJoint
 * @typedef {{ version: number, clips: Clip[], joints: ClipJoint[], ofScene: boolean }} Hanim
 */

/** Values of all sampled tracks of a file: a small file may stand for many frames. */
const MAX_VALUES = 1 << 26;
const KINDS = /** @type {const} */ (['step', 'linear', 'cubic']);
const ROTATION_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16];
const VECTOR_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 19];

/**
 * Reads a .hanim.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {Hanim}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHanim(data, file) {
  const reader = new Reader(data instanceof Uint8Array ? data : new Uint8Array(data), file);
  const magic = reader.text4();
  if (magic !== 'HANM') reader.fail(`the file begins with ${JSON.stringify(magic)}, expected "HANM"`);
  const version = reader.u32();
  if (version === 1) return readVersion1(reader);
  if (version === 2) return readVersion2(reader);
  return reader.fail(`the version is ${version}, expected 1 or 2`);
}

/** @param {Reader} reader @param {Float32Array} times @param {number} duration @param {string} place */
function checkTimes(reader, times, duration, place) {
  let last = 0;
  times.forEach((time) => {
    if (!(time >= last && time <= duration)) reader.fail(`the time ${time} is not from ${last} to ${duration}`, place);
    last = time;
  });
}

/** @param {Reader} reader @returns {Hanim} */
function readVersion1(reader) {
  const clipCount = reader.u32(), flags = reader.u32();
  if (flags > 1) reader.fail(`the flags are ${flags}, expected 0 or 1`);
  /** @type {Clip[]} */
  const clips = [];
  const name = () => {
    const size = reader.u16();
    return reader.text(reader.skip(size), size);
  };
  for (let c = 0; c < clipCount; ++c) {
    /** @type {Clip} */
    const clip = { name: name(), duration: reader.f32(), tracks: [] };
    if (clip.duration < 0) reader.fail(`the duration is ${clip.duration}`, `clip ${c}`);
    const channelCount = reader.u32();
    for (let t = 0; t < channelCount; ++t) {
      const place = `clip ${c} channel ${t}`;
      const object = reader.u32(), property = reader.u8(), kind = reader.u8(), components = reader.u8();
      reader.u8();
      const keys = reader.u32();
      if (property > 2 || kind > 1 || components !== (property === 1 ? 4 : 3))
        reader.fail(`path ${property}, interpolation ${kind} and ${components} components do not belong together`, place);
      if (keys === 0) reader.fail('it has no keys', place);
      reader.need(reader.at, keys * 4 * (1 + components));
      const times = new Float32Array(keys), values = new Float32Array(keys * components);
      for (let k = 0; k < keys; ++k) {
        times[k] = reader.f32();
        for (let i = 0; i < components; ++i) values[k * components + i] = reader.f32();
      }
      checkTimes(reader, times, clip.duration, place);
      clip.tracks.push({ property, components, object, first: 0, kind: KINDS[kind], times, values });
    }
    clips.push(clip);
  }
  /** @type {ClipJoint[]} */
  const joints = [];
  if (flags & 1) {
    const count = reader.u32();
    for (let j = 0; j < count; ++j) {
      const joint = { name: name(), parent: reader.i32(), translation: reader.floats(3), rotation: reader.floats(4), scale: reader.floats(3) };
      if (joint.parent < -1 || joint.parent >= j) reader.fail(`the parent is ${joint.parent}, expected a joint before it`, `joint ${j}`);
      joints.push(joint);
    }
  }
  reader.end();
  return { version: 1, clips, joints, ofScene: false };
}

/** @param {Reader} reader @returns {Hanim} */
function readVersion2(reader) {
  const clipCount = reader.u32(), jointCount = reader.u32(), nameBytes = reader.u32();
  reader.skip(8);
  const flags = reader.u32();
  const namesAt = 32 + 52 * jointCount + 24 * clipCount;
  reader.need(namesAt, nameBytes);
  /** @param {string} place */
  const name = (place) => {
    const offset = reader.u32(), size = reader.u32();
    // Offsets of names count from the first name.
    if (offset > nameBytes || size > nameBytes - offset)
      reader.fail(`its name is ${size} bytes at ${offset}, which is not in the ${nameBytes} bytes of names`, place);
    return reader.text(namesAt + offset, size);
  };
  /** @type {ClipJoint[]} */
  const joints = [];
  for (let j = 0; j < jointCount; ++j) {
    const joint = { name: name(`joint ${j}`), parent: reader.i32(), translation: reader.floats(3), rotation: reader.floats(4), scale: reader.floats(3) };
    if (joint.parent < -1 || joint.parent >= j) reader.fail(`the parent is ${joint.parent}, expected a joint before it`, `joint ${j}`);
    joints.push(joint);
  }
  /** @type {Clip[]} */
  const clips = [];
  let end = namesAt + nameBytes, values = 0;
  for (let c = 0; c < clipCount; ++c) {
    const clipName = name(`clip ${c}`), offset = reader.size64(), size = reader.size64();
    reader.need(offset, size);
    if (offset < end) reader.fail(`it is at ${offset}, expected from ${end}`, `clip ${c}`);
    end = offset + size;
    const clip = new Reader(reader.bytes.subarray(offset, offset + size), reader.file, `clip ${c}`);
    const made = readClip(clip, clipName, MAX_VALUES - values);
    values += made.tracks.reduce((sum, track) => sum + track.values.length, 0);
    clips.push(made);
  }
  if (reader.size !== Math.ceil(end / 8) * 8) reader.fail(`the file has ${reader.size} bytes, expected ${Math.ceil(end / 8) * 8}`);
  return { version: 2, clips, joints, ofScene: (flags & 1) !== 0 };
}

/** @param {Reader} reader @param {string} name @param {number} most the most values @returns {Clip} */
function readClip(reader, name, most) {
  const duration = reader.f32(), frames = reader.u32(), intervals = reader.u16(), flags = reader.u16();
  const [weightCount, constantCount, rotationCount, vectorCount, curveCount] = Array.from({ length: 5 }, () => reader.u32());
  if (duration < 0) reader.fail(`the duration is ${duration}`);
  if (frames === 1 || frames > 1 << 24) reader.fail(`it has ${frames} frames, expected 0 or 2 to ${1 << 24}`);
  if (frames > 0 && ![4, 8, 16, 32, 64, 128].includes(intervals)) reader.fail(`segments have ${intervals} intervals, expected a power of two from 4 to 128`);
  const trackCount = rotationCount + vectorCount, segmentCount = frames > 0 && trackCount > 0 ? Math.ceil((frames - 1) / intervals) : 0;
  const hasTimes = (flags & 1) !== 0;
  reader.need(reader.at, 8 * weightCount + 16 * constantCount + 4 * trackCount + 28 * vectorCount + 16 * curveCount
    + 4 * segmentCount + (hasTimes ? 4 * frames : 0));
  if (frames === 0 && trackCount > 0) reader.fail(`${trackCount} tracks have samples, but there are no frames`);
  if (frames * (4 * rotationCount + 3 * vectorCount) > most)
    throw limitError(reader.file, reader.place, `${frames} frames of ${trackCount} tracks are more than this loader reads; split the clip`);
  const weights = Array.from({ length: weightCount }, () => ({ node: reader.u32(), first: reader.u32() }));
  /** @param {number} tag */
  const target = (tag) => {
    const property = tag & 15, detail = tag >>> 4 & 3, object = tag >>> 6, components = property === 1 ? 4 : detail + 1;
    const expected = property === 1 ? 4 : property === 3 ? Math.min(components, 3) : property === 0 || property === 2 || property === 11 ? 3 : 1;
    if (components !== expected) reader.fail(`a track of property ${property} has ${components} components, expected ${expected}`);
    if (property !== 3) return { property, components, object, first: 0, detail };
    const weight = weights[object] ?? reader.fail(`a track moves weights ${object}, but there are ${weightCount}`);
    return { property, components, object: weight.node, first: weight.first, detail };
  };
  /** @type {Track[]} */
  const tracks = [];
  for (let i = 0; i < constantCount; ++i) {
    const { property, components, object, first, detail } = target(reader.u32()), value = reader.floats(3);
    const values = property === 1 ? rotationOf(value, detail) : value.slice(0, components);
    tracks.push({ property, components: values.length, object, first, kind: 'step', times: new Float32Array(1), values: new Float32Array(values) });
  }
  const tags = Array.from({ length: trackCount }, () => target(reader.u32()));
  tags.forEach(({ property }, t) => {
    if ((property === 1) !== (t < rotationCount)) reader.fail(`sampled track ${t} has property ${property}`);
  });
  const units = Array.from({ length: vectorCount }, () => ({ origin: reader.floats(3), base: reader.floats(3), step: reader.f32() }));
  const curves = Array.from({ length: curveCount }, () => ({ ...target(reader.u32()), kind: reader.u32(), keys: reader.u32(), at: reader.u32() }));
  const segments = Array.from({ length: segmentCount }, () => reader.u32());
  const times = new Float32Array(frames);
  for (let f = 0; f < frames; ++f) times[f] = hasTimes ? reader.f32() : f * duration / (frames - 1);
  checkTimes(reader, times, duration, ' frames');

  let keysEnd = 0;
  curves.forEach(({ property, components, object, first, kind, keys, at }, i) => {
    const place = ` curve ${i}`, values = components * (kind === 2 ? 3 : 1);
    if (kind > 2) reader.fail(`the kind is ${kind}, expected 0 to 2`, place);
    if (keys === 0 || at % 4 !== 0 || at < keysEnd) reader.fail(`${keys} keys at ${at}, expected some at a multiple of 4 from ${keysEnd}`, place);
    keysEnd = at + 4 * keys * (1 + values);
    const track = { property, components, object, first, kind: KINDS[kind], times: reader.array('f32', at, keys), values: reader.array('f32', at + 4 * keys, keys * values) };
    checkTimes(reader, track.times, duration, place);
    if (!track.values.every(Number.isFinite)) reader.fail('a value is not finite', place);
    tracks.push(track);
  });
  if (segmentCount === 0) return { name, duration, tracks };
  const sampled = tags.map(({ property, components, object, first }) => ({ property, components, object, first, kind: KINDS[1], times,
    values: new Float32Array(frames * components) }));
  let segmentsEnd = 0;
  segments.forEach((at, s) => {
    if (at < segmentsEnd) reader.fail(`it is at ${at}, expected from ${segmentsEnd}`, ` segment ${s}`);
    const begin = s * intervals, end = Math.min(begin + intervals, frames - 1);
    segmentsEnd = readSegment(reader, at, { begin, intervals: end - begin, rotationCount, units, tracks: sampled }, ` segment ${s}`);
  });
  tracks.push(...sampled);
  return { name, duration, tracks };
}

/** The rotation whose component `left` is left out. @param {number[]} value three components @param {number} left */
function rotationOf(value, left) {
  const sum = value[0] * value[0] + value[1] * value[1] + value[2] * value[2];
  const out = [...value];
  out.splice(left, 0, Math.sqrt(Math.max(0, 1 - sum)));
  const length = Math.hypot(...out) || 1;
  return out.map((component) => component / length);
}

/** The rows of a mode in a segment of `intervals`. @param {number} mode @param {number} intervals */
const rowsOf = (mode, intervals) => mode <= 6 ? Math.ceil(intervals / 2 ** mode) + 1 : mode === 7 ? 1 : Math.ceil(intervals / 2 ** (mode - 8)) + 3;

/**
 * Writes the frames of a segment.
 * @param {Reader} reader the clip
 * @param {number} at where the segment begins in the clip
 * @param {{ begin: number, intervals: number, rotationCount: number, units: { origin: number[], base: number[], step: number }[],
 *   tracks: Track[] }} part `begin`: the first frame
 * @param {string} place
 * @returns {number} where the segment ends
 */
function readSegment(reader, at, { begin, intervals, rotationCount, units, tracks }, place) {
  const view = reader.view, count = tracks.length;
  reader.need(at, 8 * count + 4);
  const modes = view.getUint32(at + 8 * count, true);
  let next = at + 8 * count + 4;
  /** @type {{ mode: number, rowSize: number, rowsAt: number, bit: number }[]} */
  const lists = [];
  for (let mode = 0; mode < 32; ++mode) {
    if ((modes >>> mode & 1) === 0) continue;
    if (mode > 14 || mode === 8) reader.fail(`the mode ${mode} is not known`, place);
    reader.need(next, 4);
    lists.push({ mode, rowSize: view.getUint32(next, true), rowsAt: 0, bit: 0 });
    next += 4;
  }
  for (const list of lists) {
    list.rowsAt = next;
    const size = list.rowSize * rowsOf(list.mode, intervals);
    reader.need(next, size);
    next += size;
  }
  tracks.forEach((track, t) => {
    const low = view.getUint32(at + 8 * t, true), high = view.getUint32(at + 8 * t + 4, true);
    const isRotation = t < rotationCount, bits = isRotation ? ROTATION_BITS : VECTOR_BITS;
    const mode = high >>> 28, list = lists.find((one) => one.mode === mode) ?? reader.fail(`track ${t} has mode ${mode}, which the segment does not list`, place);
    const sizes = [bits[high >>> 16 & 15], bits[high >>> 20 & 15], bits[high >>> 24 & 15]];
    const unit = units[t - rotationCount];
    const scale = (isRotation ? 2 ** -22 : unit.step) * 2 ** (((low >>> 29 & 7) | (high >>> 13 & 7) << 3) / 2);
    const bases = [low & 0x1fff, low >>> 16 & 0x1fff, high & 0x1fff].map((base, c) => isRotation ? base * 2 ** -12 - 1 : base * unit.base[c] + unit.origin[c]);
    const left = low >>> 13 & 3, firstBit = list.bit;
    list.bit += sizes[0] + sizes[1] + sizes[2];
    if (list.bit > 8 * list.rowSize) reader.fail(`rows of mode ${mode} have ${list.rowSize} bytes, but track ${t} ends at bit ${list.bit}`, place);
    const rows = rowsOf(mode, intervals);
    const control = new Float64Array(3 * rows);
    for (let r = 0; r < rows; ++r) {
      let bit = 8 * (list.rowsAt + r * list.rowSize) + firstBit;
      for (let c = 0; c < 3; ++c) {
        let u = 0;
        for (let b = 0; b < sizes[c]; ++b, ++bit) u |= (reader.bytes[bit >>> 3] >>> (bit & 7) & 1) << b;
        control[3 * r + c] = bases[c] + u * scale;
      }
    }
    for (let f = 0; f <= intervals; ++f) {
      const value = controlAt(control, mode, f), out = isRotation ? rotationOf(value, left) : value;
      for (let c = 0; c < track.components; ++c) {
        if (!Number.isFinite(out[c])) reader.fail(`track ${t} has the value ${out[c]}`, place);
        track.values[(begin + f) * track.components + c] = out[c];
      }
    }
  });
  return next;
}

/** The value at frame `f` of a segment. @param {Float64Array} control @param {number} mode @param {number} f @returns {number[]} */
function controlAt(control, mode, f) {
  const rows = control.length / 3;
  if (mode === 7) return [control[0], control[1], control[2]];
  const knot = f / 2 ** (mode <= 6 ? mode : mode - 8), spans = mode <= 6 ? rows - 1 : rows - 3;
  const i = Math.min(Math.floor(knot), spans - 1), u = knot - i;
  const weights = mode <= 6 ? [1 - u, u]
    : [(1 - u) ** 3 / 6, (3 * u ** 3 - 6 * u * u + 4) / 6, (-3 * u ** 3 + 3 * u * u + 3 * u + 1) / 6, u ** 3 / 6];
  return [0, 1, 2].map((c) => weights.reduce((sum, weight, w) => sum + weight * control[3 * (i + w) + c], 0));
}
