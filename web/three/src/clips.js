// Clips of three.js from clips of a .hanim.
import {
  AnimationClip, BooleanKeyframeTrack, ColorKeyframeTrack, Interpolant, InterpolateDiscrete, InterpolateLinear, NumberKeyframeTrack,
  Quaternion, QuaternionKeyframeTrack, VectorKeyframeTrack,
} from 'three';
import { fileError } from './reader.js';

/**
 * @typedef {import('./hanim.js').Clip} Clip
 * @typedef {import('./hanim.js').Track} Track
 */

/** A cubic spline with an in-tangent, a value and an out-tangent for each key, as in glTF. */
class SplineInterpolant extends Interpolant {
  /** @param {number} i */
  copySampleValue_(i) {
    const size = this.valueSize, from = i * size * 3 + size, result = /** @type {any} */ (this.resultBuffer);
    for (let c = 0; c < size; ++c) result[c] = this.sampleValues[from + c];
    return result;
  }

  /** @param {number} i1 @param {number} t0 @param {number} t @param {number} t1 */
  interpolate_(i1, t0, t, t1) {
    const size = this.valueSize, values = this.sampleValues, result = /** @type {any} */ (this.resultBuffer), span = t1 - t0;
    const p = (t - t0) / span, pp = p * p, ppp = pp * p, from = (i1 - 1) * size * 3, to = i1 * size * 3;
    const s2 = -2 * ppp + 3 * pp, s3 = ppp - pp, s0 = 1 - s2, s1 = s3 - pp + p;
    for (let c = 0; c < size; ++c)
      result[c] = s0 * values[from + size + c] + s1 * span * values[from + 2 * size + c] + s2 * values[to + size + c] + s3 * span * values[to + c];
    return result;
  }
}

/** A spline of rotations, whose values are normalized. */
class RotationSplineInterpolant extends SplineInterpolant {
  /** @param {number} i1 @param {number} t0 @param {number} t @param {number} t1 */
  interpolate_(i1, t0, t, t1) {
    const result = super.interpolate_(i1, t0, t, t1);
    new Quaternion().fromArray(result).normalize().toArray(result);
    return result;
  }
}

/** The properties of three.js by property of a track. @type {Record<number, string>} */
const NODE_PROPERTIES = { 0: 'position', 1: 'quaternion', 2: 'scale', 4: 'visible' };
/** @type {Record<number, string>} */
const CAMERA_PROPERTIES = { 5: 'fov', 6: 'aspect', 9: 'near', 10: 'far' };
/** @type {Record<number, string>} */
const LIGHT_PROPERTIES = { 11: 'color', 12: 'intensity', 13: 'distance', 15: 'angle' };

/**
 * Makes the track of a property.
 * @param {string} name
 * @param {Track} track
 * @param {ArrayLike<number>} values
 */
function makeTrack(name, track, values) {
  const times = /** @type {any} */ (track.times), list = /** @type {any} */ (values);
  if (track.property === 4) return new BooleanKeyframeTrack(name, times, /** @type {any} */ (Array.from(values, (value) => value !== 0)));
  const mode = track.kind === 'step' ? InterpolateDiscrete : InterpolateLinear;
  const Type = track.property === 1 ? QuaternionKeyframeTrack : track.property === 11 ? ColorKeyframeTrack
    : track.components === 3 && track.property !== 3 ? VectorKeyframeTrack : NumberKeyframeTrack;
  const made = new Type(name, times, list, mode);
  if (track.kind === 'cubic') {
    const Interpolation = track.property === 1 ? RotationSplineInterpolant : SplineInterpolant;
    const make = function (/** @type {any} */ result) {
      return new Interpolation(/** @type {any} */ (made.times), /** @type {any} */ (made.values), made.getValueSize() / 3, result);
    };
    make.isInterpolantFactoryMethodGLTFCubicSpline = true;
    /** @type {any} */ (made).createInterpolant = make;
  }
  return made;
}

/** The values of one component. @param {Track} track @param {number} component */
function componentOf(track, component) {
  const perKey = track.components * (track.kind === 'cubic' ? 3 : 1), each = track.kind === 'cubic' ? 3 : 1;
  return Float32Array.from({ length: track.times.length * each }, (_, i) => track.values[Math.floor(i / each) * perKey + i % each * track.components + component]);
}

/**
 * @param {AnimationClip} clip
 * @param {Track} track
 * @param {{ nodes: import('three').Object3D[], shown: any[][], cameras: any[][], lights: any[][] }} targets
 * @param {string} file
 */
function addTrack(clip, track, targets, file) {
  const { property, object } = track;
  /** @param {ArrayLike<unknown>} list @param {string} what */
  const need = (list, what) => {
    if (object >= list.length) throw fileError(file, `clip ${JSON.stringify(clip.name)}`, `a track moves ${what} ${object}, but there are ${list.length}`);
  };
  if (property in NODE_PROPERTIES) {
    need(targets.nodes, 'node');
    clip.tracks.push(makeTrack(`${targets.nodes[object].uuid}.${NODE_PROPERTIES[property]}`, track, track.values));
  } else if (property === 3) {
    need(targets.shown, 'node');
    for (const shown of targets.shown[object]) {
      const count = shown.morphTargetInfluences?.length ?? 0;
      if (track.first + track.components > count)
        throw fileError(file, `clip ${JSON.stringify(clip.name)}`, `a track moves target ${track.first + track.components - 1}, but the mesh has ${count}`);
      for (let c = 0; c < track.components; ++c)
        clip.tracks.push(makeTrack(`${shown.uuid}.morphTargetInfluences[${track.first + c}]`, track, componentOf(track, c)));
    }
  } else if (property in CAMERA_PROPERTIES) {
    need(targets.cameras, 'camera');
    const values = property === 5 ? track.values.map((value) => value * 180 / Math.PI) : track.values;
    for (const camera of targets.cameras[object])
      if (CAMERA_PROPERTIES[property] in camera) clip.tracks.push(makeTrack(`${camera.uuid}.${CAMERA_PROPERTIES[property]}`, track, values));
  } else if (property in LIGHT_PROPERTIES) {
    need(targets.lights, 'light');
    for (const light of targets.lights[object])
      if (LIGHT_PROPERTIES[property] in light) clip.tracks.push(makeTrack(`${light.uuid}.${LIGHT_PROPERTIES[property]}`, track, track.values));
  }
}

/**
 * A clip of a scene, for an AnimationMixer whose root is the group of the scene.
 * @param {string} name
 * @param {Clip} clip
 * @param {{ nodes: import('three').Object3D[], shown: any[][], cameras: any[][], lights: any[][] }} targets objects by index in the file
 * @param {string} file for errors
 * @returns {AnimationClip}
 */
export function buildClip(name, clip, targets, file) {
  const made = new AnimationClip(name, clip.duration, []);
  for (const track of clip.tracks) addTrack(made, track, targets, file);
  return made;
}

/**
 * The clips of a .hanim beside a skinned .hmesh, for an AnimationMixer whose root has the bones.
 * @param {import('./hanim.js').Hanim} hanim
 * @param {import('three').Bone[]} bones of the mesh, in its order
 * @param {string} [file] for errors
 * @returns {AnimationClip[]}
 * @throws AssetcError if a track moves a joint that the mesh does not have
 */
export function buildClips(hanim, bones, file = 'clips.hanim') {
  const targets = { nodes: bones, shown: bones.map(() => []), cameras: [], lights: [] };
  return hanim.clips.map((clip) => buildClip(clip.name, clip, targets, file));
}
