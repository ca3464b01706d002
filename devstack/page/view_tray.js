/** @file Files that will go with the next message: chosen, pasted or dropped, shown with their size until they are sent. */

import { h } from './dom.js';
import { fileSize } from './format.js';
import { icon, iconButton } from './icons.js';
import { toast } from './view_toasts.js';

const MOST = 10; // Discord's own, for one message

/** The tray of one message box. */
export class Tray {
  /** @type {File[]} */ #files = [];
  /** @type {Map<File, string>} addresses of the previews */ #previews = new Map();
  #changed;

  /** @param {() => void} changed called when files came or went */
  constructor(changed) {
    this.#changed = changed;
    this.element = h('ul.tray', { 'aria-label': 'Files to send', hidden: true });
    this.input = /** @type {HTMLInputElement} */ (
      h('input', { type: 'file', multiple: true, hidden: true, 'aria-label': 'Attach files', tabindex: -1 })
    );
    this.input.addEventListener('change', () => {
      this.add([...(this.input.files ?? [])]);
      this.input.value = ''; // so that the same file can be chosen again
    });
  }

  /** @returns {File[]} */
  get files() {
    return this.#files;
  }

  /** @param {File[]} files more than ten in all are refused with a notice */
  add(files) {
    const room = MOST - this.#files.length;
    if (files.length > room) toast(`A message takes at most ${MOST} files.`);
    this.#files = [...this.#files, ...files.slice(0, room)];
    this.#render();
  }

  /** Empties the tray. @returns {File[]} what was in it */
  take() {
    const files = this.#files;
    this.#files = [];
    this.#render();
    return files;
  }

  /** Takes files that are pasted or dropped. @param {HTMLElement} place @param {string} where its name @param {AbortSignal} signal */
  receiveDrops(place, where, signal) {
    const veil = h('div.drop-veil', { hidden: true }, h('span', null, icon('file'), `Drop to attach to ${where}`));
    place.append(veil);
    signal.addEventListener('abort', () => veil.remove());
    const carriesFiles = (event) => event.dataTransfer?.types.includes('Files');
    const over = (event) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      veil.hidden = false;
    };
    place.addEventListener('dragenter', over, { signal });
    place.addEventListener('dragover', over, { signal });
    place.addEventListener(
      'dragleave',
      (event) => !place.contains(/** @type {Node} */ (event.relatedTarget)) && (veil.hidden = true),
      { signal },
    );
    const drop = (event) => {
      veil.hidden = true;
      if (!carriesFiles(event)) return;
      event.preventDefault();
      this.add([...event.dataTransfer.files]);
    };
    place.addEventListener('drop', drop, { signal });
  }

  #render() {
    for (const [file, url] of this.#previews) {
      if (this.#files.includes(file)) continue;
      URL.revokeObjectURL(url);
      this.#previews.delete(file);
    }
    this.element.hidden = !this.#files.length;
    this.element.replaceChildren(...this.#files.map((file) => this.#card(file)));
    this.#changed();
  }

  #card(file) {
    const remove = iconButton('trash', `Remove ${file.name}`, () => {
      this.#files = this.#files.filter((each) => each !== file);
      this.#render();
    });
    return h(
      'li.tray-card',
      null,
      this.#face(file),
      h('span.tray-name', { title: file.name }, file.name),
      h('small', null, fileSize(file.size)),
      remove,
    );
  }

  #face(file) {
    if (!file.type.startsWith('image/') || file.type.includes('svg')) return icon('file');
    const url = this.#previews.get(file) ?? URL.createObjectURL(file);
    this.#previews.set(file, url);
    return h('img', { src: url, alt: '' });
  }
}
