/** @file Filling in a slash command: one field for each option, checked before it is sent. */

import { candidates, OptionType, problemWith, typeName } from './commands.js';
import { h } from './dom.js';
import { iconButton } from './icons.js';
import { Listbox } from './listbox.js';

let lastId = 0; // ids of hints must differ, for aria-describedby

/** The form of one command. */
export class CommandForm {
  #ui;
  #channel;
  #onDone;
  /** @type {Map<string, OptionField>} */ #fields = new Map();
  #row = h('div.command-options');
  #more = h('div.command-more');

  /**
   * @param {import('./view_shell.js').Ui} ui
   * @param {any} channel
   * @param {import('./commands.js').Invocable} invocable
   * @param {{rest?: string, onDone: () => void}} options `rest`: what was typed after the name, for the first text option
   */
  constructor(ui, channel, invocable, { rest = '', onDone }) {
    this.#ui = ui;
    this.#channel = channel;
    this.#onDone = onDone;
    this.invocable = invocable;
    const name = h('span.command-name', null, `/${invocable.name}`);
    const head = h(
      'header.command-head',
      null,
      name,
      h('span.command-description', null, invocable.description),
      iconButton('close', 'Leave the command', onDone),
    );
    this.element = h(
      'form.command',
      {
        'aria-label': `Command ${invocable.name}`,
        onsubmit: (event) => this.#submit(event),
        onkeydown: (event) => this.#key(event),
      },
      head,
      this.#row,
      this.#more,
    );
    for (const option of invocable.options) if (option.required) this.#add(option);
    const first = invocable.options.find((option) => option.type === OptionType.STRING && !option.choices?.length);
    if (rest.trim() && first) this.#add(first).fill(rest.trim());
    this.#renderMore();
  }

  /** Puts the focus on the first empty field, else on the last. */
  focus() {
    const fields = [...this.#fields.values()];
    const target = fields.find((field) => field.value === '') ?? fields.at(-1);
    if (target) target.focus();
    else /** @type {HTMLElement} */ (this.element.querySelector('.command-send')).focus();
  }

  /** Checks everything and invokes the command. @returns {boolean} false when something is missing or wrong */
  submit() {
    const wrong = [...this.#fields.values()].filter((field) => !field.check());
    wrong[0]?.focus();
    if (wrong.length) return false;
    const values = new Map([...this.#fields].map(([name, field]) => [name, field.value]));
    void this.#ui.session.interactions.invoke(this.#channel, this.invocable, values);
    this.#onDone();
    return true;
  }

  #submit(event) {
    event.preventDefault();
    this.submit();
  }

  #key(event) {
    if (event.key === 'Escape') this.#onDone();
    else if (event.key === 'Backspace' && event.target.value === '' && event.target.matches('input'))
      this.#leaveField(event.target);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Backspace in an empty field takes an optional one away, and leaves the command from the first. */
  #leaveField(input) {
    const field = [...this.#fields.values()].find((each) => each.element.contains(input));
    if (!field) return;
    if (field.option.required) {
      if (field === [...this.#fields.values()][0]) this.#onDone();
      return;
    }
    field.element.remove();
    this.#fields.delete(field.option.name);
    this.#renderMore();
    this.focus();
  }

  #add(option) {
    const known = this.#fields.get(option.name);
    if (known) return known;
    const field = new OptionField(option, candidates(option, this.#ui.session.world, this.#channel));
    this.#fields.set(option.name, field);
    this.#row.append(field.element);
    return field;
  }

  #renderMore() {
    const left = this.invocable.options.filter((option) => !this.#fields.has(option.name));
    const chip = (option) =>
      h(
        'button.chip',
        { type: 'button', title: option.description, onclick: () => this.#addByHand(option) },
        `+ ${option.name}`,
      );
    const send = h('button.primary.command-send', { type: 'submit' }, 'Run');
    this.#more.replaceChildren(...left.map(chip), send);
  }

  #addByHand(option) {
    this.#add(option).focus();
    this.#renderMore();
  }
}

/** One option: a text field, a field with suggestions, or a file. */
class OptionField {
  #chosen = '';

  constructor(option, choices) {
    this.option = option;
    this.choices = choices;
    lastId += 1;
    this.problem = h('span.option-problem', { id: `option-problem-${lastId}`, role: 'alert' });
    this.input = /** @type {HTMLInputElement} */ (this.#input());
    const optional = option.required ? '' : ', optional';
    const label = h(
      'label',
      null,
      h('span.option-name', null, option.name, h('small', null, ` ${typeName(option)}${optional}`)),
      this.input,
    );
    this.element = h(
      'div.option-field',
      { dataset: { option: option.name } },
      label,
      h('span.option-hint', null, option.description),
      this.problem,
    );
    if (choices.length) this.#suggest();
    this.input.addEventListener('input', () => this.problem.textContent && this.check());
  }

  /** @returns {any} what was typed, picked or chosen; '' when nothing */
  get value() {
    if (this.option.type === OptionType.ATTACHMENT) return this.input.files?.[0] ?? '';
    return this.choices.length ? this.#chosen : this.input.value.trim();
  }

  focus() {
    this.input.focus();
  }

  fill(text) {
    this.input.value = text;
  }

  /** Shows what is wrong. @returns {boolean} true when nothing is */
  check() {
    const isUnknown = this.choices.length && this.input.value && !this.#chosen;
    const problem = isUnknown ? 'Pick one from the list.' : problemWith(this.option, this.value);
    this.problem.textContent = problem ?? '';
    this.input.setAttribute('aria-invalid', String(problem !== null));
    return problem === null;
  }

  #input() {
    const { option } = this;
    const common = {
      'aria-describedby': this.problem.id,
      'aria-required': String(Boolean(option.required)),
      autocomplete: 'off',
      dataset: { focus: `option-${option.name}` },
    };
    if (option.type === OptionType.ATTACHMENT) return h('input', { type: 'file', ...common });
    const isNumber = option.type === OptionType.INTEGER || option.type === OptionType.NUMBER;
    return h('input', {
      type: 'text',
      inputmode: isNumber && !this.choices.length ? 'decimal' : null,
      placeholder: option.description,
      ...common,
    });
  }

  #suggest() {
    const list = new Listbox(this.input, (item) => this.#pick(item), this.option.name);
    this.element.append(list.element);
    const show = () => list.show(this.#matching());
    this.input.addEventListener('input', () => {
      const exact = this.choices.find((choice) => choice.label.toLowerCase() === this.input.value.trim().toLowerCase());
      this.#chosen = exact?.value ?? '';
      show();
    });
    this.input.addEventListener('focus', show);
    this.input.addEventListener('blur', () => list.close());
    this.input.addEventListener('keydown', (event) => list.handleKey(event));
  }

  #matching() {
    const wanted = this.#chosen ? '' : this.input.value.replace(/^[@#]/, '').toLowerCase();
    return this.choices.filter((choice) => choice.label.toLowerCase().includes(wanted)).slice(0, 10);
  }

  #pick(item) {
    this.#chosen = item.value;
    this.input.value = item.label;
    this.problem.textContent = '';
  }
}
