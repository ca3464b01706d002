/** @file Moving among the rows by keyboard and pointer, and the small toolbar of the row one is at. */

import { h } from './dom.js';
import { iconButton } from './icons.js';
import { Permission } from './permissions.js';
import { MessageFlag, hasFlag } from './timeline.js';
import { isSystemMessage } from './view_system.js';
import { isDirect, isThread } from './world.js';

const CONTROLS = 'a[href], button, select, textarea, input, pre, audio, .spoiler';

/** One tab stop for the whole list: arrows move from row to row, and only the active row's controls can be reached by Tab. */
export class RowFocus {
  #ui;
  #rows;
  /** @type {HTMLElement | null} */ #active = null;
  /** True while somebody is at the active row; else Tab arrives at the newest. */ #isChosen = false;
  #toolbar = h('div.toolbar', { role: 'toolbar', 'aria-label': 'Message actions' });

  /** @param {import('./view_shell.js').Ui} ui @param {HTMLElement} rows */
  constructor(ui, rows) {
    this.#ui = ui;
    this.#rows = rows;
    rows.addEventListener('focusin', (event) => this.activate(rowOf(event.target)));
    const staysIn = (event) => rows.contains(/** @type {Node | null} */ (event.relatedTarget));
    rows.addEventListener('focusout', (event) => (this.#isChosen = staysIn(event)));
    rows.addEventListener('pointerover', (event) => event.pointerType === 'mouse' && this.#offer(rowOf(event.target)));
    rows.addEventListener('pointerleave', (event) => event.pointerType === 'mouse' && this.#offer(this.#focusedRow()));
    rows.addEventListener('click', (event) => this.#tapped(event));
    rows.addEventListener('keydown', (event) => this.#key(event));
  }

  /** After the rows changed: the newest row is where Tab arrives, unless another one is active. */
  refresh() {
    if (!this.#isChosen || !this.#rows.contains(this.#active))
      this.#active = /** @type {HTMLElement | null} */ ([...this.#rows.querySelectorAll('.message')].at(-1) ?? null);
    for (const control of /** @type {NodeListOf<HTMLElement>} */ (this.#rows.querySelectorAll(CONTROLS)))
      control.tabIndex = this.#isStop(control) ? 0 : -1;
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (this.#rows.querySelectorAll('.message')))
      row.tabIndex = row === this.#active ? 0 : -1;
    const host = this.#toolbar.parentElement;
    if (host) this.#offer(host.isConnected ? host : null);
  }

  /** The active row's own controls, and its toolbar as one: arrows move inside it. */
  #isStop(control) {
    const isInner = this.#toolbar.contains(control) && control !== this.#toolbar.firstElementChild;
    return Boolean(this.#active?.contains(control)) && !isInner;
  }

  /** Makes a row the one that Tab reaches. @param {HTMLElement | null} row */
  activate(row) {
    if (!row || row === this.#active) {
      if (row) this.#offer(row);
      return;
    }
    this.#active = row;
    this.#isChosen = true;
    this.refresh();
    this.#offer(row);
  }

  #focusedRow() {
    return rowOf(document.activeElement);
  }

  /** Puts the toolbar on a row, or away. */
  #offer(row) {
    const message = row && this.#ui.messageOf(row.dataset.id);
    if (!message || this.#ui.editing === message.id || isSystemMessage(message)) {
      this.#toolbar.remove();
      return;
    }
    if (this.#toolbar.parentElement === row && this.#toolbar.dataset.for === message.id) return;
    const actions = actionsFor(message, this.#ui);
    if (!actions.length) {
      this.#toolbar.remove();
      return;
    }
    this.#toolbar.dataset.for = message.id;
    this.#toolbar.replaceChildren(
      ...actions.map(({ sign, label, act }) => {
        const button = iconButton(sign, label, () => act(button));
        return button;
      }),
    );
    row.append(this.#toolbar);
    for (const button of /** @type {Iterable<any>} */ (this.#toolbar.children))
      button.tabIndex = this.#isStop(button) ? 0 : -1;
  }

  /** Where nothing hovers, a tap on a row shows its toolbar. */
  #tapped(event) {
    const row = rowOf(event.target);
    if (!row || event.target.closest(CONTROLS)) return;
    if (!String(getSelection())) this.activate(row);
  }

  #key(event) {
    const row = rowOf(event.target);
    if (!row || /^(TEXTAREA|INPUT|SELECT)$/.test(event.target.tagName)) return;
    if (this.#toolbar.contains(event.target)) this.#toolbarKey(event, row);
    else if (!event.ctrlKey && !event.metaKey && !event.altKey) this.#rowKey(event, row);
  }

  #rowKey(event, row) {
    const rows = /** @type {HTMLElement[]} */ ([...this.#rows.querySelectorAll('.message')]);
    const target = { ArrowUp: rows.indexOf(row) - 1, ArrowDown: rows.indexOf(row) + 1, Home: 0, End: rows.length - 1 }[
      event.key
    ];
    if (target !== undefined) {
      event.preventDefault();
      rows[target]?.focus();
      if (target >= rows.length) this.#ui.composer?.focus();
    } else if (event.target === row && event.key === 'Enter') this.#toolbar.querySelector('button')?.focus();
    else if (event.key === 'Escape') this.#ui.composer?.focus();
    else if (event.target === row) this.#shortcut(event, row);
  }

  #shortcut(event, row) {
    const message = this.#ui.messageOf(row.dataset.id);
    const action = message && actionsFor(message, this.#ui).find(({ keys }) => keys.includes(event.key));
    if (!action) return;
    event.preventDefault();
    action.act(/** @type {HTMLElement} */ (this.#toolbar.querySelector(`[aria-label="${action.label}"]`) ?? row));
  }

  #toolbarKey(event, row) {
    const buttons = /** @type {HTMLElement[]} */ ([...this.#toolbar.querySelectorAll('button')]);
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step) buttons[(buttons.indexOf(event.target) + step + buttons.length) % buttons.length].focus();
    else if (event.key === 'Escape' || event.key === 'ArrowUp' || event.key === 'ArrowDown') row.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

function rowOf(target) {
  return target instanceof Element ? /** @type {HTMLElement | null} */ (target.closest('.message')) : null;
}

/** What this member may do with a message. @returns {{sign: any, label: string, keys: string[], act: (anchor: HTMLElement) => void}[]} */
function actionsFor(message, ui) {
  const { world } = ui.session;
  const channel = world.channels.get(message.channel_id);
  if (!channel || hasFlag(message, MessageFlag.EPHEMERAL)) return [];
  const isMine = message.author.id === world.me.id;
  const can = (permission) => world.can(channel, permission);
  const all = [
    {
      sign: 'smile',
      label: 'Add a reaction',
      keys: ['+'],
      act: (anchor) => ui.pickReaction(message, anchor),
      allowed: can(Permission.ADD_REACTIONS),
    },
    { sign: 'reply', label: 'Reply', keys: ['r'], act: () => ui.replyTo(message), allowed: world.canSend(channel) },
    { sign: 'pencil', label: 'Edit', keys: ['e'], act: () => ui.edit(message.id), allowed: isMine },
    {
      sign: 'thread',
      label: 'Start a thread',
      keys: ['t'],
      act: () => ui.startThread(message),
      allowed: canStartThread(message, channel, can),
    },
    { sign: 'copy', label: 'Copy text', keys: ['c'], act: () => ui.copy(message), allowed: Boolean(message.content) },
    {
      sign: 'trash',
      label: 'Delete',
      keys: ['Delete', 'Backspace'],
      act: () => ui.confirmDelete(message),
      allowed: isMine || can(Permission.MANAGE_MESSAGES),
    },
  ];
  return all.filter(({ allowed }) => allowed);
}

function canStartThread(message, channel, can) {
  return !isDirect(channel) && !isThread(channel) && !message.thread && can(Permission.CREATE_PUBLIC_THREADS);
}
