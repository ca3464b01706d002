/** @file The page of one session: puts the parts together and carries wishes from one to another. */

import * as actions from './actions.js';
import { append, h, isNarrow } from './dom.js';
import { personColor } from './format.js';
import { parse, plainText } from './markdown.js';
import { copyText } from './markdown_view.js';
import { Composer } from './view_composer.js';
import { connectionView } from './view_connection.js';
import { confirmDialog, nameDialog } from './view_dialog.js';
import { headerView } from './view_header.js';
import { membersView } from './view_members.js';
import { openPicker } from './view_picker.js';
import { messageQuote } from './view_quote.js';
import { sidebarView } from './view_sidebar.js';
import { openSwitcher } from './view_switcher.js';
import { TimelineView } from './view_timeline.js';
import { toast } from './view_toasts.js';
import { openShortcuts } from './view_shortcuts.js';
import { isDirect } from './world.js';

const TIMEOUTS_END_WITHIN_MS = 15_000; // nobody tells when a member's timeout is over
const THREAD_NAME_LIMIT = 100; // Discord's own

/** What views ask each other for. One for each session. */
export class Ui {
  #signal;
  #switchMember;
  /** @type {AbortController} ends with the shown channel */ #shown = new AbortController();
  /** @type {string | null} the message that is being edited */ editing = null;
  /** @type {TimelineView | null} */ timeline = null;
  /** @type {Composer | null} */ composer = null;
  /** @type {Map<string, any>} unsent words by channel */ drafts = new Map();

  /**
   * @param {import('./session.js').Session} session
   * @param {(memberId: string) => void} switchMember
   * @param {AbortSignal} signal aborted when another session takes the page
   */
  constructor(session, switchMember, signal) {
    this.session = session;
    this.#signal = signal;
    this.#switchMember = switchMember;
    this.main = h('main.channel', { id: 'channel' });
    this.root = h(
      'div.shell',
      null,
      h('a.skip', { href: '#composer', onclick: (event) => this.#skip(event) }, 'Skip to the message box'),
    );
    append(this.root, [
      sidebarView(this, signal),
      h('div.scrim', { onclick: () => this.closeDrawers() }),
      this.main,
      membersView(this, signal),
    ]);
    session.on('open', () => this.#show(), signal);
    session.on('world', () => this.#permissionsChanged(), signal);
    const clock = setInterval(() => this.#permissionsChanged(), TIMEOUTS_END_WITHIN_MS);
    signal.addEventListener('abort', () => clearInterval(clock));
    session.on('gone', () => this.openHome(), signal);
    session.on('error', (error) => toast(error.message), signal);
    document.addEventListener('keydown', (event) => this.#key(event), { signal });
  }

  /** @returns {string | null} the guild of the shown channel */
  get guildId() {
    return this.session.channel?.guild_id ?? null;
  }

  /** @returns {import('./markdown_view.js').Surroundings} */
  get surroundings() {
    return { world: this.session.world, guildId: this.guildId, onChannel: (id) => this.openChannel(id) };
  }

  /** @param {string} id @returns {import('./world.js').Person & {hue: string}} */
  person(id) {
    const person = this.session.world.person(id, this.guildId);
    return { ...person, hue: personColor(id, person.color) };
  }

  /** @param {string} id @returns {any | undefined} */
  messageOf(id) {
    return this.session.current ? this.session.timeline(this.session.current).find(id) : undefined;
  }

  /** @param {string} channelId */
  openChannel(channelId) {
    if (this.session.world.channels.has(channelId)) this.session.open(channelId);
    else toast('You cannot see that channel, or it is gone.');
    this.closeDrawers();
  }

  /** Shows the first channel that can be read. */
  openHome() {
    const first = this.session.firstChannel();
    if (first) this.openChannel(first.id);
  }

  openDirect = (userId) => actions.openDirect(this.session, userId).then(() => this.closeDrawers());
  jumpTo = (messageId) => this.timeline?.jumpTo(messageId);
  replyTo = (message) => this.composer?.replyTo(message);
  retry = (entry) => actions.transmit(this.session, this.session.current, entry);
  discard = (entry) => actions.discard(this.session, this.session.current, entry);
  dismiss = (message) => actions.dismiss(this.session, message);
  press = (message, data) => this.session.interactions.press(message, data);
  toggleReaction = (message, emoji) => actions.toggleReaction(this.session, message, emoji);
  pickReaction = (message, anchor) =>
    openPicker(anchor, (name) => void this.toggleReaction(message, { id: null, name }));
  switchMember = (memberId) => this.#switchMember(memberId);
  openSwitcher = () => openSwitcher(this);

  /** @param {string | null} messageId null ends editing */
  edit(messageId) {
    this.editing = messageId;
    this.timeline?.render();
    if (!messageId) this.composer?.focus();
  }

  /** Edits the member's newest message in view. */
  editLast() {
    const { current, world } = this.session;
    const items = current ? this.session.timeline(current).items : [];
    const last = items.findLast((message) => message.author.id === world.me.id && [0, 19].includes(message.type));
    if (last) this.edit(last.id);
  }

  /** @param {any} message @param {string} content */
  async saveEdit(message, content) {
    if (!content) {
      this.edit(null);
      await this.confirmDelete(message);
    } else if (content === message.content || (await actions.editMessage(this.session, message, content)))
      this.edit(null);
  }

  /** @param {any} message */
  async confirmDelete(message) {
    const body = [h('p', null, 'Delete this message? This cannot be undone.'), messageQuote(message, this)];
    if (await confirmDialog({ title: 'Delete message', body, confirm: 'Delete' }))
      await actions.deleteMessage(this.session, message);
    this.composer?.focus();
  }

  /** @param {any} message */
  async copy(message) {
    toast(
      (await copyText(message.content))
        ? 'Copied.'
        : 'The browser does not let this page copy; select the text instead.',
    );
  }

  /** @param {any} [message] the message it grows from; none: a thread of its own @param {boolean} [mayBePrivate] */
  async startThread(message, mayBePrivate = false) {
    const value = message
      ? plainText(parse(message.content, { blocks: false }))
          .slice(0, 40)
          .trim()
      : '';
    const choice = mayBePrivate ? 'Private: only those who are added or mentioned can see it' : null;
    const wish = await nameDialog({
      title: message ? 'Start a thread' : 'New thread',
      label: 'Name of the thread',
      value,
      confirm: 'Start',
      maxLength: THREAD_NAME_LIMIT,
      choice,
    });
    if (wish)
      await actions.startThread(this.session, this.session.channel, {
        name: wish.name,
        message,
        isPrivate: wish.isChosen,
      });
  }

  /** @param {'sidebar' | 'members'} which */
  toggleDrawer(which) {
    const isOpen = this.root.classList.toggle(`show-${which}`);
    if (isOpen && isNarrow()) /** @type {HTMLElement | null} */ (this.root.querySelector(`#${which} button`))?.focus();
    this.#updateInert();
  }

  closeDrawers() {
    this.root.classList.remove('show-sidebar', 'show-members');
    this.#updateInert();
  }

  /** Where a drawer lies over the page, the page behind it cannot be reached. */
  #updateInert() {
    const isCovered =
      isNarrow() && (this.root.classList.contains('show-sidebar') || this.root.classList.contains('show-members'));
    this.main.inert = isCovered;
    for (const id of ['sidebar', 'members']) {
      const drawer = /** @type {HTMLElement} */ (this.root.querySelector(`#${id}`));
      drawer.inert = isNarrow() && !this.root.classList.contains(`show-${id}`);
    }
  }

  #show() {
    const channel = this.session.channel;
    if (!channel) return;
    this.#shown.abort();
    this.#shown = new AbortController();
    const signal = AbortSignal.any([this.#signal, this.#shown.signal]);
    this.editing = null;
    this.main.replaceChildren(headerView(this, channel, signal), connectionView(this, signal));
    this.timeline = new TimelineView(this, channel.id, signal);
    this.composer = new Composer(this, channel, this.main, signal);
    this.main.append(this.timeline.element, this.composer.element);
    this.timeline.render();
    this.#updateInert();
    document.title = `${isDirect(channel) ? '@' : '#'}${this.session.world.titleOf(channel)} · simulated Discord`;
    if (!isNarrow()) this.composer.focus();
  }

  /** The message box is there for those who may write, from the moment on that they may. */
  #permissionsChanged() {
    const { channel, world } = this.session;
    if (channel && this.composer && world.canSend(channel) !== this.composer.isOpen) this.#show();
  }

  #skip(event) {
    event.preventDefault();
    this.composer?.focus();
  }

  #key(event) {
    const isCommand = event.ctrlKey || event.metaKey;
    if (isCommand && event.key.toLowerCase() === 'k') this.openSwitcher();
    else if (isCommand && event.key === '/') openShortcuts();
    else if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown'))
      this.#step(event.key === 'ArrowDown' ? 1 : -1);
    else if (event.key === 'Escape' && this.root.matches('.show-sidebar, .show-members')) this.closeDrawers();
    else return;
    event.preventDefault();
  }

  /** To the next channel of the sidebar. */
  #step(by) {
    const links = [.../** @type {NodeListOf<HTMLElement>} */ (this.root.querySelectorAll('#sidebar [data-channel]'))];
    const at = links.findIndex((link) => link.dataset.channel === this.session.current);
    const next = links[(at + by + links.length) % links.length];
    if (next) this.openChannel(/** @type {string} */ (next.dataset.channel));
  }
}
