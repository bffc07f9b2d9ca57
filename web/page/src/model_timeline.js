// Clips of a model: which one poses it, its time, and playing.
import { AnimationMixer } from 'three';
import { choice, el } from './dom.js';
import { duration } from './format.js';

const STEPS = 1000;

export class Timeline {
  /**
   * @param {import('./model_load.js').Model} model with clips
   * @param {import('./model_stage.js').Stage} stage
   * @param {() => void} moved called when the pose changed
   */
  constructor({ group, clips }, stage, moved) {
    this.clips = clips;
    this.stage = stage;
    this.moved = moved;
    this.mixer = new AnimationMixer(group);
    /** The clip that poses the model; -1: none. */
    this.clip = -1;
    this.playing = false;
    this.speed = 1;
    /** @type {import('three').AnimationAction} */
    this.action = this.mixer.clipAction(clips[0]);
    this.button = el('button', { type: 'button', text: 'Play', title: 'Play or pause (Space)', onclick: () => this.play(!this.playing) });
    this.time = el('output', { text: '' });
    this.slider = el('input', {
      type: 'range',
      class: 'timeline',
      min: 0,
      max: STEPS,
      step: 1,
      value: 0,
      'aria-label': 'Time of the clip',
      oninput: () => {
        const part = Number(this.slider.value) / STEPS;
        this.play(false);
        if (this.clip < 0) this.setClip(0);
        this.setTime(part * this.action.getClip().duration);
      },
    });
    const names = clips.map((clip, i) => ({ value: String(i), text: clip.name || `clip ${i}` })),
      speeds = ['0.1', '0.25', '0.5', '1', '2'].map((value) => ({ value, text: `${value}×` }));
    this.choice = choice('Clip', [{ value: '-1', text: 'Rest pose' }, ...names], '-1', (value) => this.setClip(Number(value)));
    this.elements = [
      this.button,
      this.choice,
      this.slider,
      this.time,
      choice('Speed', speeds, '1', (value) => {
        this.speed = Number(value);
      }),
    ];
    stage.animate = (seconds) => {
      if (!this.playing) return false;
      this.mixer.update(seconds * this.speed);
      this.show();
      return true;
    };
  }

  /** @param {number} i -1: the rest pose */
  setClip(i) {
    this.clip = i;
    this.choice.select.value = String(i);
    this.mixer.stopAllAction();
    this.slider.value = '0';
    this.time.textContent = '';
    if (i < 0) {
      this.play(false);
      return;
    }
    this.action = this.mixer.clipAction(this.clips[i]);
    this.action.play();
    this.setTime(0);
  }

  /** @param {number} seconds */
  setTime(seconds) {
    this.action.time = seconds;
    this.mixer.update(0);
    this.show();
    this.stage.draw();
  }

  show() {
    const { duration: length } = this.action.getClip();
    this.slider.value = String(length > 0 ? (STEPS * this.action.time) / length : 0);
    this.time.textContent = `${this.action.time.toFixed(2)} / ${duration(length)}`;
    this.moved();
  }

  /** @param {boolean} on */
  play(on) {
    if (on && this.clip < 0) this.setClip(0);
    this.playing = on;
    this.button.textContent = on ? 'Pause' : 'Play';
    this.stage.last = performance.now();
    this.stage.draw();
  }

  /** The clip and the time of another timeline. @param {Timeline | null} before */
  follow(before) {
    if (!before || before.clip < 0 || !this.clips[before.clip]) return;
    this.setClip(before.clip);
    this.setTime(before.action.time);
    this.play(before.playing);
  }
}
