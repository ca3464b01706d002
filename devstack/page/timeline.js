/** @file One channel's messages in memory: a bounded window over its history, and what is not (yet) part of it. */

import { compareIds } from './format.js';

/** Messages fetched at once. */
export const PAGE = 50;

const LIMIT = 4 * PAGE; // rows kept at once: enough to scroll smoothly, few enough to lay out in one frame

/** Discord's message flags that this page reads. */
export const MessageFlag = Object.freeze({
  SUPPRESS_EMBEDS: 1 << 2,
  HAS_THREAD: 1 << 5,
  EPHEMERAL: 1 << 6,
  LOADING: 1 << 7,
});

/** @param {any} message @param {number} flag */
export const hasFlag = (message, flag) => ((message.flags ?? 0) & flag) !== 0;

/**
 * A message on its way, or one that failed.
 * @typedef {{nonce: string, content: string, files: File[], reference: any, createdAt: number, error: string | null,
 *   kind: 'message' | 'command'}} Pending
 */

/** The window. Messages are in order of their ids; a changed message is a new object, so identity tells of changes. */
export class Timeline {
  /** @type {any[]} */ items = [];
  /** @type {any[]} only for this member, in no history */
  ephemerals = [];
  /** @type {Pending[]} */ pending = [];
  hasOlder = false;
  hasNewer = false;
  loaded = false;
  /** True after a gap in the events: it is shown, and fetched again as soon as that is possible. */ isStale = false;
  /** @type {Promise<void> | null} the request that runs now */ loading = null;
  /** True while the reader is at the end: then old rows are dropped for new ones, else new ones wait to be fetched. */
  following = true;

  /** @returns {any[]} history and ephemeral messages in order */
  get visible() {
    if (!this.ephemerals.length) return this.items;
    const first = this.hasOlder && this.items.length ? this.items[0].id : '0';
    return [...this.items, ...this.ephemerals.filter((message) => compareIds(message.id, first) > 0)].sort(byId);
  }

  /** Replaces the window. @param {any[]} messages in any order @param {{hasOlder: boolean, hasNewer: boolean}} bounds */
  reset(messages, { hasOlder, hasNewer }) {
    this.items = [...messages].sort(byId);
    Object.assign(this, { hasOlder, hasNewer, loaded: true });
  }

  /** @param {any[]} messages older than the window */
  prepend(messages) {
    this.items = [...messages].sort(byId).concat(this.items);
    this.hasOlder = messages.length === PAGE;
    if (this.items.length <= LIMIT) return;
    this.items.length = LIMIT;
    this.hasNewer = true;
  }

  /** @param {any[]} messages newer than the window */
  append(messages) {
    this.items = this.items.concat([...messages].sort(byId));
    this.hasNewer = messages.length === PAGE;
    this.#keepNewest();
  }

  /** Takes the newest page after a gap: replaces what it covers, or everything where nothing joins. @param {any[]} messages */
  merge(messages) {
    const fresh = [...messages].sort(byId);
    const last = this.items.at(-1);
    if (!fresh.length || !last || compareIds(fresh[0].id, last.id) > 0) {
      this.reset(fresh, { hasOlder: fresh.length === PAGE, hasNewer: false });
      return;
    }
    this.items = this.items.filter((message) => compareIds(message.id, fresh[0].id) < 0).concat(fresh);
    this.hasNewer = false;
    this.#trimOldest();
  }

  /** A message that has just been sent by somebody. Repeatable. @param {any} message */
  receive(message) {
    this.settle(message.nonce);
    if (hasFlag(message, MessageFlag.EPHEMERAL)) {
      if (!this.find(message.id)) this.ephemerals.push(message);
      return;
    }
    if (!this.loaded || this.hasNewer || this.items.some((item) => item.id === message.id)) return;
    if (!this.following && this.items.length >= LIMIT) {
      this.hasNewer = true; // the reader is far up: do not pull the rows away from under them
      return;
    }
    this.items = [...this.items, message].sort(byId);
    this.#trimOldest();
  }

  /** Merges a partial update, as Discord sends them. @param {any} update */
  update(update) {
    const merged = (message) => (message.id === update.id ? { ...message, ...update } : refreshed(message, update));
    this.items = this.items.map(merged);
    this.ephemerals = this.ephemerals.map(merged);
  }

  /** @param {string[]} ids */
  remove(ids) {
    const gone = new Set(ids);
    const kept = (message) => !gone.has(message.id);
    const orphaned = (message) =>
      gone.has(message.referenced_message?.id) ? { ...message, referenced_message: null } : message;
    this.items = this.items.filter(kept).map(orphaned);
    this.ephemerals = this.ephemerals.filter(kept).map(orphaned);
  }

  /** @param {string} id @returns {any | undefined} */
  find(id) {
    return this.items.find((message) => message.id === id) ?? this.ephemerals.find((message) => message.id === id);
  }

  /** The pending message with this nonce has arrived (or was given up). @param {string | number | undefined} nonce */
  settle(nonce) {
    if (nonce !== undefined && nonce !== null)
      this.pending = this.pending.filter((entry) => entry.nonce !== String(nonce));
  }

  /**
   * One person's reaction came or went. Repeatable for the member's own, since the event may follow the answer.
   * @param {{message_id: string, emoji: any, user_id: string}} event
   * @param {boolean} added
   * @param {string} meId
   */
  react(event, added, meId) {
    const message = this.find(event.message_id);
    if (!message) return;
    const key = emojiKey(event.emoji);
    const mine = event.user_id === meId;
    const reactions = (message.reactions ?? []).map((reaction) => ({ ...reaction }));
    let reaction = reactions.find((each) => emojiKey(each.emoji) === key);
    if (mine && Boolean(reaction?.me) === added) return;
    if (!reaction && !added) return;
    if (!reaction) reactions.push((reaction = { emoji: event.emoji, count: 0, me: false }));
    reaction.count += added ? 1 : -1;
    if (mine) reaction.me = added;
    this.update({ id: message.id, reactions: reactions.filter((each) => each.count > 0) });
  }

  /** @param {string} messageId @param {any} [emoji] only this one's */
  clearReactions(messageId, emoji) {
    const message = this.find(messageId);
    if (!message) return;
    const kept = (reaction) => emoji && emojiKey(reaction.emoji) !== emojiKey(emoji);
    this.update({ id: messageId, reactions: (message.reactions ?? []).filter(kept) });
  }

  /** Under a reader who is at the end; to others the old rows are what they look at. */
  #trimOldest() {
    if (this.following) this.#keepNewest();
  }

  #keepNewest() {
    if (this.items.length <= LIMIT) return;
    this.items = this.items.slice(-LIMIT);
    this.hasOlder = true;
  }
}

/** @param {{id?: string | null, name?: string | null}} emoji @returns {string} how reaction routes name it */
export function emojiKey(emoji) {
  return emoji.id ? `${emoji.name}:${emoji.id}` : (emoji.name ?? '');
}

/** The quote line of a reply follows its original. */
function refreshed(message, update) {
  if (message.referenced_message?.id !== update.id) return message;
  return { ...message, referenced_message: { ...message.referenced_message, ...update } };
}

function byId(a, b) {
  return compareIds(a.id, b.id);
}
