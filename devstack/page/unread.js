/** @file What a member has not read yet, remembered for this browser tab. */

import { compareIds } from './format.js';

/** Last read message and count of mentions by channel. Kept in sessionStorage: ids only, no words. */
export class Unread {
  #key;
  /** @type {Record<string, string>} */ #lastRead;
  /** @type {Map<string, number>} */ #mentions = new Map();
  #isNewcomer;

  /** @param {string} memberId */
  constructor(memberId) {
    this.#key = `gopher.read.${memberId}`;
    const stored = sessionStorage.getItem(this.#key);
    this.#isNewcomer = stored === null;
    this.#lastRead = stored ? JSON.parse(stored) : {};
  }

  /** What lies in the channels before the first visit of this tab counts as read. @param {Iterable<any>} channels */
  baseline(channels) {
    if (!this.#isNewcomer) return;
    this.#isNewcomer = false;
    for (const channel of channels) if (channel.last_message_id) this.#lastRead[channel.id] ??= channel.last_message_id;
    this.#save();
  }

  /** @param {any} channel @returns {boolean} */
  has(channel) {
    if (!channel.last_message_id) return false;
    return compareIds(channel.last_message_id, this.#lastRead[channel.id] ?? '0') > 0;
  }

  /** @param {string} channelId @returns {number} mentions since the last reading */
  mentions(channelId) {
    return this.#mentions.get(channelId) ?? 0;
  }

  /** @param {string} channelId @returns {string | null} the newest message that was read */
  lastRead(channelId) {
    return this.#lastRead[channelId] ?? null;
  }

  /** @param {string} channelId */
  countMention(channelId) {
    this.#mentions.set(channelId, this.mentions(channelId) + 1);
  }

  /**
   * @param {string} channelId
   * @param {string | null | undefined} messageId the newest message shown
   * @returns {boolean} true when that changed anything
   */
  markRead(channelId, messageId) {
    const hadMentions = this.#mentions.delete(channelId);
    if (!messageId || compareIds(messageId, this.#lastRead[channelId] ?? '0') <= 0) return hadMentions;
    this.#lastRead[channelId] = messageId;
    this.#save();
    return true;
  }

  #save() {
    sessionStorage.setItem(this.#key, JSON.stringify(this.#lastRead));
  }
}
