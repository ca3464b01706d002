/** @file The message list: what is in the window of the timeline, scrolled as a reader expects. */

import { batched } from './emitter.js';
import { h, patch, scrollBehavior } from './dom.js';
import { plural } from './format.js';
import { loadAround, loadLatest, loadNewer, loadOlder } from './history.js';
import { icon } from './icons.js';
import { timelineParts } from './timeline_rows.js';
import { RowFocus } from './view_rows.js';

const AT_END_PX = 48; // a reader this near to the end means the end
const FETCH_AHEAD_PX = 500; // the next page is asked for before the reader is there

/** One channel's list. It lives as long as the channel is shown. */
export class TimelineView {
  #ui;
  #channelId;
  #newAfter;
  #arrived = 0; // messages that came while the reader was further up
  /** True while the list sticks to its end. */ #pinned = true;

  /**
   * @param {import('./view_shell.js').Ui} ui
   * @param {string} channelId
   * @param {AbortSignal} signal
   */
  constructor(ui, channelId, signal) {
    this.#ui = ui;
    this.#channelId = channelId;
    const { unread, world } = ui.session;
    this.#newAfter = unread.has(world.channels.get(channelId)) ? (unread.lastRead(channelId) ?? '0') : null;
    const title = world.titleOf(world.channels.get(channelId));
    this.rows = h('div.rows', {
      role: 'log',
      'aria-live': 'polite',
      'aria-relevant': 'additions',
      'aria-label': `Messages in ${title}`,
    });
    this.scroller = h('div.scroller', { tabindex: -1 }, this.rows);
    this.jump = h('button.jump', { type: 'button', hidden: true, onclick: () => this.jumpToPresent() });
    this.element = h('div.timeline', null, this.scroller, this.jump);
    this.focus = new RowFocus(ui, this.rows);
    this.#listen(signal);
    this.render();
    void this.#open();
  }

  #listen(signal) {
    const render = batched(() => this.render(), signal);
    const { session } = this.#ui;
    session.on('timeline', (channelId) => channelId === this.#channelId && render(), signal);
    session.on('world', render, signal);
    session.on('message', (message) => this.#count(message), signal);
    session.on('ready', () => this.#timeline.isStale && void loadLatest(session, this.#channelId), signal);
    this.scroller.addEventListener('scroll', () => this.#scrolled(), { passive: true });
    document.addEventListener('visibilitychange', () => this.#read(), { signal });
    const sizes = new ResizeObserver(() => this.#pinned && this.#toEnd());
    sizes.observe(this.scroller);
    sizes.observe(this.rows);
    signal.addEventListener('abort', () => sizes.disconnect());
  }

  get #timeline() {
    return this.#ui.session.timeline(this.#channelId);
  }

  async #open() {
    if (!this.#timeline.loaded || this.#timeline.hasNewer || this.#timeline.isStale)
      await loadLatest(this.#ui.session, this.#channelId);
    this.render();
  }

  /** Brings the rows up to date and keeps what the reader looks at where it is. */
  render() {
    const channel = this.#ui.session.world.channels.get(this.#channelId);
    if (!channel) return;
    const timeline = this.#timeline;
    const anchor = this.#pinned ? null : this.#anchor();
    this.rows.setAttribute('aria-busy', String(timeline.loading !== null));
    patch(
      this.rows,
      timelineParts(timeline, channel, { newAfter: this.#newAfter, editing: this.#ui.editing }, this.#ui),
    );
    this.focus.refresh();
    if (anchor) this.#restore(anchor);
    else this.#toEnd();
    this.#updateJump();
    this.#read();
    this.#fetch();
  }

  /** Shows one message, wherever it lies. @param {string} messageId */
  async jumpTo(messageId) {
    this.#pinned = false;
    this.#timeline.following = false;
    const isThere = this.#row(messageId) !== null || (await loadAround(this.#ui.session, this.#channelId, messageId));
    this.render();
    const row = this.#row(messageId);
    if (!isThere || !row) {
      this.#ui.session.report(new Error('That message is not there any more.'));
      return;
    }
    row.scrollIntoView({ block: 'center' });
    row.classList.remove('flash');
    void row.offsetWidth; // restarts the animation
    row.classList.add('flash');
    this.focus.activate(row);
    row.focus({ preventScroll: true });
  }

  /** Goes to the newest message and stays there. */
  async jumpToPresent() {
    this.#newAfter = null;
    if (this.#timeline.hasNewer) await loadLatest(this.#ui.session, this.#channelId);
    this.#pinned = true;
    this.#timeline.following = true;
    this.render();
    this.scroller.scrollTo({ top: this.scroller.scrollHeight, behavior: scrollBehavior() });
    this.#ui.composer?.focus();
  }

  /** True while the newest message is in view. */
  get isAtEnd() {
    return this.#pinned;
  }

  #row(messageId) {
    return /** @type {HTMLElement | null} */ (this.rows.querySelector(`[data-id="${CSS.escape(messageId)}"]`));
  }

  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    this.#pinned = scrollHeight - scrollTop - clientHeight < AT_END_PX && !this.#timeline.hasNewer;
    this.#timeline.following = this.#pinned;
    if (this.#pinned) this.#arrived = 0;
    this.#updateJump();
    this.#read();
    this.#fetch();
  }

  #fetch() {
    const timeline = this.#timeline;
    if (!timeline.loaded || timeline.loading || !this.element.isConnected) return;
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    if (timeline.hasOlder && scrollTop < FETCH_AHEAD_PX) void loadOlder(this.#ui.session, this.#channelId);
    else if (timeline.hasNewer && scrollHeight - scrollTop - clientHeight < FETCH_AHEAD_PX)
      void loadNewer(this.#ui.session, this.#channelId);
  }

  #toEnd() {
    this.scroller.scrollTop = this.scroller.scrollHeight;
  }

  /** The first row in view and where it stands. */
  #anchor() {
    const top = this.scroller.getBoundingClientRect().top;
    const row = [...this.rows.children].find(
      (each) => each instanceof HTMLElement && each.dataset.id && each.getBoundingClientRect().bottom > top,
    );
    return row ? { row, offset: row.getBoundingClientRect().top } : null;
  }

  #restore({ row, offset }) {
    if (row.isConnected) this.scroller.scrollTop += row.getBoundingClientRect().top - offset;
  }

  #count(message) {
    if (message.channel_id === this.#channelId && !this.#pinned && message.author.id !== this.#ui.session.world.me.id)
      this.#arrived += 1;
  }

  #updateJump() {
    const timeline = this.#timeline;
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const isFar = scrollHeight - scrollTop - clientHeight > clientHeight / 2;
    this.jump.hidden = this.#pinned || !timeline.loaded || !(timeline.hasNewer || isFar || this.#arrived);
    const words = this.#arrived ? `${plural(this.#arrived, 'new message')} · Jump to present` : 'Jump to present';
    if (this.jump.textContent !== words) this.jump.replaceChildren(words, icon('down'));
  }

  /** What the reader sees counts as read. */
  #read() {
    const isReading =
      this.#pinned && this.#timeline.loaded && document.visibilityState === 'visible' && this.element.isConnected;
    this.#ui.session.isReading = isReading;
    if (isReading) this.#ui.session.markRead();
  }
}
