// Clips of a .hanim, versions 1 and 2: docs/formats/hanim.md of assetc.
import { checkMagic, limitError, Reader } from './reader.js';
import { Context, formatOf, openPart, takeRecord } from './table.js';

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
const FORMAT = formatOf('hanim');
const KINDS = /** @type {const} */ (['step', 'linear', 'cubic']);
const ROTATION_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16];
const VECTOR_BITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 19];
/** The steps of records as the nearest floats, which limit the sizes of rotations. */
const STEPS = Array.from({ length: 64 }, (_, i) => Math.fround(2 ** (i / 2)));
/** Bytes after the last segment of a clip. */
const PAD = 8;
/** The largest number of a vector range. */
const MAX_RANGE = 2 ** 76;

/**
 * Reads a .hanim.
 * @param {ArrayBuffer | Uint8Array} data
 * @param {string} file its name, for errors
 * @returns {Hanim}
 * @throws AssetcError with the file and the place, if the file breaks a rule of the format
 */
export function parseHanim(data, file) {
  const reader = new Reader(data instanceof Uint8Array ? data : new Uint8Array(data), file);
  return checkMagic(reader, 'HANM', [1, 2]) === 1 ? readVersion1(reader) : readVersion2(reader);
}

/** @param {Reader} reader @param {Float32Array} times @param {number} duration @param {string} place */
function checkTimes(reader, times, duration, place) {
  let last = 0;
  times.forEach((time) => {
    if (!(time >= last && time <= duration)) reader.fail(`the time ${time} is not from ${last} to ${duration}`, place);
    last = time;
  });
}

/** @param {any} record with a rest pose @param {string} name @returns {ClipJoint} */
const jointOf = ({ parent, translation, rotation, scale }, name) => ({ name, parent, translation, rotation, scale });

/** If a file has joints, its tracks move them. @param {Reader} reader @param {Clip[]} clips @param {ClipJoint[]} joints */
function checkTargets(reader, clips, joints) {
  clips.forEach(({ tracks }, c) => tracks.forEach(({ property, object }) => {
    // Other properties are of cameras and lights.
    if (property > 4 || object >= joints.length) reader.fail(`property ${property} of object ${object} moves, but the file has ${joints.length} joints`, `clip ${c}`);
  }));
}

/** @param {Reader} reader @returns {Hanim} */
function readVersion1(reader) {
  const context = new Context(FORMAT), { header, 'named clip': clipRecord, channel, 'joint count': jointCount, 'named joint': jointRecord } = FORMAT.records;
  const { clip_count: clipCount, flags } = takeRecord(header, reader, context);
  /** @type {Clip[]} */
  const clips = [];
  const name = () => {
    const size = reader.u16();
    return reader.text(reader.skip(size), size);
  };
  for (let c = 0; c < clipCount; ++c) {
    const clipName = name(), { duration_seconds: duration, channel_count: channelCount } = takeRecord(clipRecord, reader, context, c);
    /** @type {Clip} */
    const clip = { name: clipName, duration, tracks: [] };
    for (let t = 0; t < channelCount; ++t) {
      const place = `clip ${c} channel ${t}`;
      const { joint: object, path: property, interpolation: kind, components, key_count: keys } = takeRecord(channel, reader, context, t);
      if (components !== (property === 1 ? 4 : 3)) reader.fail(`path ${property} has ${components} components`, place);
      reader.need(reader.at, keys * 4 * (1 + components));
      const times = new Float32Array(keys), values = new Float32Array(keys * components);
      for (let k = 0; k < keys; ++k) {
        times[k] = reader.f32();
        for (let i = 0; i < components; ++i) values[k * components + i] = reader.f32();
      }
      checkTimes(reader, times, duration, place);
      clip.tracks.push({ property, components, object, first: 0, kind: KINDS[kind], times, values });
    }
    clips.push(clip);
  }
  /** @type {ClipJoint[]} */
  const joints = [];
  if (flags & 1) {
    const { joint_count: count } = takeRecord(jointCount, reader, context);
    for (let j = 0; j < count; ++j) {
      const jointName = name();
      joints.push(jointOf(takeRecord(jointRecord, reader, context, j), jointName));
    }
    checkTargets(reader, clips, joints);
  }
  reader.end();
  return { version: 1, clips, joints, ofScene: false };
}

/** @param {number} size in bytes */
const padded = (size) => Math.ceil(size / 8) * 8;

/** @param {Reader} reader @returns {Hanim} */
function readVersion2(reader) {
  const { header, sections: [jointRows, clipRows], texts, more } = openPart(FORMAT.parts['the file'], reader, new Context(FORMAT));
  if (header.flags !== 0 && jointRows.length > 0) reader.fail(`the flags are ${header.flags}, expected 0 in a file with joints`);
  const names = new Reader(texts, reader.file, 'names');
  const joints = jointRows.map((row) => jointOf(row, names.text(row.name_offset, row.name_size)));
  let end = padded(reader.size - more.size), values = 0;
  const clips = clipRows.map((row, c) => {
    const name = names.text(row.name_offset, row.name_size), offset = Number(row.offset), size = Number(row.size);
    reader.need(offset, size);
    if (offset !== end) reader.fail(`it is at ${offset}, expected ${end}`, `clip ${c}`);
    end = padded(offset + size);
    const clip = new Reader(reader.bytes.subarray(offset, offset + size), reader.file, `clip ${c}`);
    const made = readClip(clip, name, MAX_VALUES - values);
    values += made.tracks.reduce((sum, track) => sum + track.values.length, 0);
    return made;
  });
  if (reader.size !== end) reader.fail(`the file has ${reader.size} bytes, expected ${end}`);
  if (joints.length > 0) checkTargets(reader, clips, joints);
  return { version: 2, clips, joints, ofScene: header.flags !== 0 };
}

/** Frames, the length of segments and times of frames exist only with samples. @param {Reader} reader @param {any} header */
function checkSamples(reader, { frame_count: frames, segment_frames: intervals, flags, rotation_count: rotations, vector_count: vectors }) {
  const hasSamples = rotations > 0 || vectors > 0;
  if (hasSamples ? frames < 2 || frames > 1 << 24 : frames !== 0) reader.fail(`it has ${frames} frames, expected 2 to ${1 << 24}, or 0 without samples`);
  if (hasSamples ? ![4, 8, 16, 32, 64, 128].includes(intervals) : intervals !== 0)
    reader.fail(`segments have ${intervals} intervals, expected a power of two from 4 to 128, or 0 without samples`);
  if (!hasSamples && flags !== 0) reader.fail(`the flags are ${flags}, expected 0 without samples`);
}

/** @param {Reader} reader @param {string} name @param {number} most the most values @returns {Clip} */
function readClip(reader, name, most) {
  const { header, sections: [weightRows, constantRows, tagRows, unitRows, curveRows], more } = openPart(FORMAT.parts['the clip'], reader, new Context(FORMAT));
  checkSamples(reader, header);
  const { duration, frame_count: frames, segment_frames: intervals, rotation_count: rotationCount, vector_count: vectorCount } = header;
  const hasTimes = header.flags !== 0, segmentCount = frames > 0 ? Math.ceil((frames - 1) / intervals) : 0;
  more.need(0, 4 * segmentCount + (hasTimes ? 4 * frames : 0));
  if (frames * (4 * rotationCount + 3 * vectorCount) > most)
    throw limitError(reader.file, reader.place, `${frames} frames of ${tagRows.length} tracks are more than this loader reads; split the clip`);
  /** @param {number} tag */
  const target = (tag) => {
    const property = tag & 15, detail = tag >>> 4 & 3, object = tag >>> 6, components = property === 1 ? 4 : detail + 1;
    const expected = property === 1 ? 4 : property === 3 ? Math.min(components, 3) : property === 0 || property === 2 || property === 11 ? 3 : 1;
    if (components !== expected) reader.fail(`a track of property ${property} has ${components} components, expected ${expected}`);
    if (property !== 3) return { property, components, object, first: 0, detail };
    if (object >= weightRows.length) reader.fail(`a track moves weights ${object}, but there are ${weightRows.length}`);
    const { node, first } = weightRows.row(object);
    return { property, components, object: node, first, detail };
  };
  /** @type {Track[]} */
  const tracks = constantRows.map(({ tag, value }) => {
    const { property, components, object, first, detail } = target(tag);
    if (property === 1 && value.some((/** @type {number} */ v) => Math.abs(v) > 1)) reader.fail(`a constant rotation is ${value}, expected numbers from -1 to 1`);
    const values = property === 1 ? rotationOf(value, detail) : value.slice(0, components);
    return { property, components: values.length, object, first, kind: 'step', times: new Float32Array(1), values: new Float32Array(values) };
  });
  const tags = tagRows.map(({ tag }) => target(tag));
  tags.forEach(({ property }, t) => {
    if ((property === 1) !== (t < rotationCount)) reader.fail(`sampled track ${t} has property ${property}`);
  });
  const units = unitRows.map(({ origin, base_unit: base, step }, i) => {
    if (![...origin, ...base, step].every((v) => Math.abs(v) <= MAX_RANGE)) reader.fail(`vector range ${i} is not finite or too large`);
    return { origin, base, step };
  });
  const segments = Array.from({ length: segmentCount }, () => more.u32());
  const times = new Float32Array(frames);
  for (let f = 0; f < frames; ++f) times[f] = hasTimes ? more.f32() : f * duration / (frames - 1);
  if (hasTimes) {
    checkTimes(reader, times, duration, ' frames');
    for (let f = 1; f < frames; ++f) if (times[f] === times[f - 1]) reader.fail(`frames ${f - 1} and ${f} have the same time`);
  }

  let keysEnd = 0;
  curveRows.map(({ tag, kind, key_count: keys, offset: at }, i) => {
    const { property, components, object, first } = target(tag);
    const place = ` curve ${i}`, values = components * (kind === 2 ? 3 : 1);
    if (at < keysEnd) reader.fail(`${keys} keys at ${at}, expected them from ${keysEnd}`, place);
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
  const view = reader.view, count = tracks.length, modesAt = at + 8 * count;
  reader.need(at, 8 * count + 4 + PAD);
  // What each mode has, from the records of its tracks.
  const list = Array.from({ length: 16 }, () => ({ bits: 0, rowSize: 0, rowsAt: 0, bit: 0 }));
  let modes = 0;
  const records = tracks.map((_, t) => {
    const low = view.getUint32(at + 8 * t, true), high = view.getUint32(at + 8 * t + 4, true), mode = high >>> 28;
    const isRotation = t < rotationCount, bits = isRotation ? ROTATION_BITS : VECTOR_BITS, step = (low >>> 29 & 7) | (high >>> 13 & 7) << 3;
    const sizes = [bits[high >>> 16 & 15], bits[high >>> 20 & 15], bits[high >>> 24 & 15]];
    if (mode === 8 || mode > 14 || (low >>> 15 & 1) !== 0) reader.fail(`track ${t} has mode ${mode}, expected 0 to 7 or 9 to 14`, place);
    if (isRotation && sizes.some((size) => Math.fround(2 ** -22 * STEPS[step] * (2 ** size - 1)) > 16)) reader.fail(`the step of rotation ${t} is too large`, place);
    list[mode].bits += sizes[0] + sizes[1] + sizes[2];
    modes |= 1 << mode;
    return { low, high, mode, sizes, step, isRotation };
  });
  if (view.getUint32(modesAt, true) !== modes) reader.fail(`the modes are ${view.getUint32(modesAt, true)}, expected those of its tracks, ${modes}`, place);
  let next = modesAt + 4;
  const used = list.map((one, mode) => ({ one, mode })).filter(({ mode }) => (modes >>> mode & 1) !== 0);
  reader.need(next, 4 * used.length + PAD);
  for (const { one, mode } of used) {
    one.rowSize = Math.ceil(one.bits / 8);
    if (view.getUint32(next, true) !== one.rowSize) reader.fail(`a row of mode ${mode} has ${view.getUint32(next, true)} bytes, expected ${one.rowSize}`, place);
    next += 4;
  }
  for (const { one, mode } of used) {
    one.rowsAt = next;
    next += one.rowSize * rowsOf(mode, intervals);
  }
  reader.need(next, PAD);
  tracks.forEach((track, t) => {
    const { low, high, mode, sizes, step, isRotation } = records[t], { rowSize, rowsAt, bit: firstBit } = list[mode], unit = units[t - rotationCount];
    const scale = (isRotation ? 2 ** -22 : unit.step) * 2 ** (step / 2);
    const bases = [low & 0x1fff, low >>> 16 & 0x1fff, high & 0x1fff].map((base, c) => isRotation ? base * 2 ** -12 - 1 : base * unit.base[c] + unit.origin[c]);
    const left = low >>> 13 & 3;
    list[mode].bit += sizes[0] + sizes[1] + sizes[2];
    const rows = rowsOf(mode, intervals);
    const control = new Float64Array(3 * rows);
    for (let r = 0; r < rows; ++r) {
      let bit = 8 * (rowsAt + r * rowSize) + firstBit;
      for (let c = 0; c < 3; ++c) {
        let u = 0;
        for (let b = 0; b < sizes[c]; ++b, ++bit) u |= (reader.bytes[bit >>> 3] >>> (bit & 7) & 1) << b;
        control[3 * r + c] = bases[c] + u * scale;
      }
    }
    for (let f = 0; f <= intervals; ++f) {
      const value = controlAt(control, mode, f), out = isRotation ? rotationOf(value, left) : value;
      for (let c = 0; c < track.components; ++c) track.values[(begin + f) * track.components + c] = out[c];
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
