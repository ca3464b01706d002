/** @file The text field for messages: it grows, it completes names, and it gives Discord's markup. */

import { completionsAt } from './completions.js';
import { h } from './dom.js';
import { Listbox } from './listbox.js';
import { fromMarkup, toMarkup } from './mentions.js';

/** Discord's limit for a message, in characters. */
export const MESSAGE_LIMIT = 2000;

/** A textarea that shows names and yields markup. */
export class MarkupInput {
  #ui;
  #channel;
  /** @type {Map<string, string>} */ #picked = new Map();
  #start = 0; // of what the suggestions would replace
  /** @type {((item: any) => void) | null} */ #onPick = null;

  /**
   * @param {import('./view_shell.js').Ui} ui
   * @param {any} channel where the message belongs
   * @param {{label: string, onInput?: () => void}} options
   */
  constructor(ui, channel, { label, onInput = () => {} }) {
    this.#ui = ui;
    this.#channel = channel;
    const field = h('textarea.markup-input', {
      rows: 1,
      'aria-label': label,
      autocomplete: 'off',
      spellcheck: 'true',
    });
    this.field = /** @type {HTMLTextAreaElement} */ (field);
    this.list = new Listbox(this.field, (item) => this.#complete(item), 'Suggestions');
    this.field.addEventListener('input', () => {
      this.changed();
      this.suggest();
      onInput();
    });
    this.field.addEventListener('click', () => this.suggest());
    this.field.addEventListener('blur', () => this.list.close());
  }

  /** @returns {string} what will be sent */
  get markup() {
    const { world } = this.#ui.session;
    const people = world
      .peopleIn(this.#channel)
      .map((person) => ({ ...person, username: world.users.get(person.id)?.username }));
    const inGuild = [...world.channels.values()].filter(
      (channel) => channel.name && channel.guild_id === this.#channel.guild_id,
    );
    return toMarkup(this.field.value.trim(), { people, channels: inGuild, picked: this.#picked });
  }

  /** @returns {number} characters of the markup, as Discord counts them */
  get length() {
    return [...this.markup].length;
  }

  /** Shows a message's content for editing. @param {string} content */
  setMarkup(content) {
    const { text, picked } = fromMarkup(content, this.#ui.session.world, this.#channel.guild_id);
    this.restore({ text, picked });
  }

  /** @returns {{text: string, picked: Map<string, string>}} */
  get draft() {
    return { text: this.field.value, picked: this.#picked };
  }

  /** @param {{text: string, picked: Map<string, string>}} draft */
  restore({ text, picked }) {
    this.field.value = text;
    this.#picked = new Map(picked);
    this.changed();
  }

  /** Writes at the caret, as the emoji picker and "mention" do. @param {string} text @param {[string, string]} [pick] a name and its id */
  insert(text, pick) {
    if (pick) this.#picked.set(...pick);
    this.field.focus();
    this.#replace(this.field.selectionStart, this.field.selectionEnd, text);
  }

  /** Fits the height to the text. */
  changed() {
    this.field.style.setProperty('height', 'auto');
    this.field.style.setProperty('height', `${this.field.scrollHeight}px`);
  }

  /**
   * Suggests something else than names, for instance commands.
   * @param {any[]} items
   * @param {string} heading
   * @param {(item: any) => void} onPick
   */
  offer(items, heading, onPick) {
    this.list.show(items, heading);
    this.#onPick = onPick;
  }

  /** Opens or closes the suggestions for what stands before the caret. */
  suggest() {
    const { selectionStart, selectionEnd, value } = this.field;
    const found =
      selectionStart === selectionEnd
        ? completionsAt(value, selectionStart, { world: this.#ui.session.world, channel: this.#channel })
        : null;
    this.#start = found?.start ?? 0;
    this.#onPick = null;
    this.list.show(found?.items ?? [], found?.heading);
  }

  #complete(item) {
    if (this.#onPick) {
      this.#onPick(item);
      return;
    }
    if (item.id) this.#picked.set(item.insert, item.id);
    this.#replace(this.#start, this.field.selectionStart, `${item.insert} `);
  }

  #replace(start, end, text) {
    this.field.setRangeText(text, start, end, 'end');
    this.field.dispatchEvent(new InputEvent('input', { bubbles: true }));
  }
}
