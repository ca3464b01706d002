/** @file Who is typing where, and telling the others that this member is. */

const SHOWN_MS = 10_000; // Discord's own: a typing start counts for ten seconds
const REPEAT_MS = 8_000; // so that ours does not run out while the member goes on

/** Who is typing. `changed(channelId)` is called whenever that may look different. */
export class Typing {
  /** @type {Map<string, Map<string, number>>} channel -> user -> timer */
  #channels = new Map();
  #lastTold = new Map();

  /** @param {(channelId: string) => void} changed */
  constructor(changed) {
    this.changed = changed;
  }

  /** @param {string} channelId @returns {string[]} user ids, in the order they began */
  in(channelId) {
    return [...(this.#channels.get(channelId)?.keys() ?? [])];
  }

  /** @param {string} channelId @param {string} userId */
  began(channelId, userId) {
    const users = this.#channels.get(channelId) ?? new Map();
    this.#channels.set(channelId, users);
    clearTimeout(users.get(userId));
    users.set(
      userId,
      setTimeout(() => this.ended(channelId, userId), SHOWN_MS),
    );
    this.changed(channelId);
  }

  /** @param {string} channelId @param {string} userId */
  ended(channelId, userId) {
    const users = this.#channels.get(channelId);
    if (!users?.has(userId)) return;
    clearTimeout(users.get(userId));
    users.delete(userId);
    this.changed(channelId);
  }

  /** @param {string} channelId @returns {boolean} true when the others should be told (again) that this member types */
  shouldTell(channelId) {
    const now = Date.now();
    if (now - (this.#lastTold.get(channelId) ?? 0) < REPEAT_MS) return false;
    this.#lastTold.set(channelId, now);
    return true;
  }

  /** The member sent the message: the next keystroke is news again. @param {string} channelId */
  sent(channelId) {
    this.#lastTold.delete(channelId);
  }

  /** Forgets everything, timers included. */
  clear() {
    for (const users of this.#channels.values()) for (const timer of users.values()) clearTimeout(timer);
    this.#channels.clear();
  }
}
