/** @file A list of suggestions that a text field steers: the field keeps the focus, the list says what is chosen. */

import { h } from './dom.js';
import { avatar } from './icons.js';

let lastId = 0; // ids must differ between lists, for aria-controls

/**
 * A suggestion.
 * @typedef {{label: string, detail?: string, person?: any, sign?: string, value?: any}} Suggestion
 */

/** Suggestions under or above a field. */
export class Listbox {
  #field;
  #onPick;
  /** @type {Suggestion[]} */ #items = [];
  #active = -1;

  /**
   * @param {HTMLInputElement | HTMLTextAreaElement} field becomes a combobox
   * @param {(item: any) => void} onPick
   * @param {string} label for screen readers
   */
  constructor(field, onPick, label) {
    this.#field = field;
    this.#onPick = onPick;
    lastId += 1;
    this.element = h('div.listbox', { role: 'listbox', id: `listbox-${lastId}`, 'aria-label': label, hidden: true });
    field.setAttribute('role', 'combobox');
    field.setAttribute('aria-autocomplete', 'list');
    field.setAttribute('aria-controls', this.element.id);
    field.setAttribute('aria-expanded', 'false');
    this.element.addEventListener('pointerdown', (event) => event.preventDefault()); // the field keeps the focus
  }

  /** @returns {boolean} */
  get isOpen() {
    return !this.element.hidden;
  }

  /** Shows suggestions, the first one chosen; none closes the list. @param {Suggestion[]} items @param {string} [heading] */
  show(items, heading) {
    this.#items = items;
    if (!items.length) {
      this.close();
      return;
    }
    const options = items.map((item, index) => this.#option(item, index));
    this.element.replaceChildren(
      ...(heading ? [h('div.listbox-heading', { 'aria-hidden': 'true' }, heading)] : []),
      ...options,
    );
    this.element.hidden = false;
    this.#field.setAttribute('aria-expanded', 'true');
    this.#choose(0);
  }

  /** Repeatable. */
  close() {
    this.element.hidden = true;
    this.#items = [];
    this.#field.setAttribute('aria-expanded', 'false');
    this.#field.removeAttribute('aria-activedescendant');
  }

  /**
   * Handles arrows, Enter, Tab and Escape while the list is open.
   * @param {KeyboardEvent} event
   * @returns {boolean} true when the key was for the list
   */
  handleKey(event) {
    if (!this.isOpen || event.isComposing) return false;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) this.#choose((this.#active + step + this.#items.length) % this.#items.length);
    else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) this.#pick(this.#active);
    else if (event.key === 'Escape') this.close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #option(item, index) {
    const sign = item.person
      ? avatar(item.person, 'small')
      : h('span.sign', { 'aria-hidden': 'true' }, item.sign ?? '');
    const text = [h('span.option-label', null, item.label), item.detail && h('span.option-detail', null, item.detail)];
    const props = {
      role: 'option',
      id: `${this.element.id}-${index}`,
      onclick: () => this.#pick(index),
      onpointermove: () => this.#choose(index),
    };
    return h('div.option', props, sign, text);
  }

  #choose(index) {
    if (index === this.#active && this.element.querySelector('[aria-selected="true"]')) return;
    this.#active = index;
    this.element.querySelectorAll('.option').forEach((option, at) => {
      option.setAttribute('aria-selected', String(at === index));
      if (at === index) option.scrollIntoView({ block: 'nearest' });
    });
    this.#field.setAttribute('aria-activedescendant', `${this.element.id}-${index}`);
  }

  #pick(index) {
    const item = this.#items[index];
    this.close();
    this.#onPick(item);
  }
}
