/** @file Invoking commands and pressing buttons, and waiting for the application's answer. */

import { DiscordError, nonce } from './api.js';
import { invocables, invocation } from './commands.js';

const ANSWER_WITHIN_MS = 5_000; // Discord gives an application three seconds; the rest is for the way

const INDEX_LIVES_MS = 3_000; // applications come and change their commands while the page is open

/** Discord's interaction types, as far as the page makes them. */
export const InteractionKind = Object.freeze({ COMMAND: 2, COMPONENT: 3 });

/**
 * A press that waits for its answer, or failed.
 * @typedef {{nonce: string, channelId: string, messageId: string | null, customId: string | null, timer: number, error: string | null, interactionId: string | null}} Wait
 */

/** The interactions of one session. */
export class Interactions {
  #session;
  /** @type {Map<string, Wait>} by nonce */ #waits = new Map();
  /** @type {Map<string, Promise<import('./commands.js').Invocable[]>>} */ #indexes = new Map();

  /** @param {import('./session.js').Session} session */
  constructor(session) {
    this.#session = session;
  }

  /** Forgets everything, timers included. */
  clear() {
    for (const wait of this.#waits.values()) clearTimeout(wait.timer);
    this.#waits.clear();
    this.#indexes.clear();
  }

  /**
   * What can be invoked in a channel, by name. Asked for every few seconds at most; raises DiscordError.
   * @param {any} channel
   */
  index(channel) {
    const known = this.#indexes.get(channel.id);
    if (known) return known;
    const asked = this.#session.api
      .get(`/channels/${channel.id}/application-command-index`)
      .then((index) => invocables(index.application_commands ?? []));
    this.#indexes.set(channel.id, asked);
    const forget = () => this.#indexes.delete(channel.id);
    asked.then(() => setTimeout(forget, INDEX_LIVES_MS), forget);
    return asked;
  }

  /**
   * Invokes a command. What waits, and why it failed, is shown as a pending row of the channel.
   * @param {any} channel
   * @param {import('./commands.js').Invocable} invocable
   * @param {Map<string, any>} values
   */
  invoke(channel, invocable, values) {
    const { data, files } = invocation(invocable, values);
    const wait = this.#expect(channel.id, null, null);
    const row = {
      nonce: wait.nonce,
      content: `/${invocable.name}`,
      files: [],
      reference: null,
      createdAt: Date.now(),
      error: null,
      kind: /** @type {const} */ ('command'),
    };
    this.#session.timeline(channel.id).pending.push(row);
    this.#session.emit('timeline', channel.id);
    return this.#send(
      wait,
      {
        type: InteractionKind.COMMAND,
        application_id: invocable.command.application_id,
        data,
        ...this.#place(channel),
      },
      files,
    );
  }

  /**
   * Presses a button or picks from a menu.
   * @param {any} message
   * @param {{component_type: number, custom_id: string, values?: string[]}} data
   */
  press(message, data) {
    const channel = this.#session.world.channels.get(message.channel_id) ?? { id: message.channel_id };
    const wait = this.#expect(channel.id, message.id, data.custom_id);
    const application = message.application_id ?? message.author.id;
    const place = { message_id: message.id, message_flags: message.flags ?? 0, ...this.#place(channel) };
    return this.#send(wait, { type: InteractionKind.COMPONENT, application_id: application, data, ...place }, []);
  }

  /** @param {string} messageId @returns {Wait | undefined} the latest press on a message that waits or failed */
  stateOf(messageId) {
    return [...this.#waits.values()].reverse().find((wait) => wait.messageId === messageId);
  }

  /** Looks at a gateway event for answers. @param {string} type @param {any} data */
  apply(type, data) {
    if (type === 'INTERACTION_CREATE') this.#identify(data);
    else if (type === 'INTERACTION_SUCCESS') this.#settle(data.nonce);
    else if (type === 'INTERACTION_FAILURE') this.#fail(data.nonce, 'The application did not respond.');
    else if (type === 'MESSAGE_UPDATE') this.#answeredOn(data.id);
    else if (type === 'MESSAGE_CREATE') this.#answeredBy(data);
  }

  #place(channel) {
    return {
      guild_id: channel.guild_id ?? undefined,
      channel_id: channel.id,
      session_id: this.#session.gateway.sessionId,
    };
  }

  #expect(channelId, messageId, customId) {
    for (const old of this.#waits.values()) if (messageId && old.messageId === messageId) this.#settle(old.nonce);
    const wait = { nonce: nonce(), channelId, messageId, customId, timer: 0, error: null, interactionId: null };
    wait.timer = setTimeout(() => this.#fail(wait.nonce, 'The application did not respond.'), ANSWER_WITHIN_MS);
    this.#waits.set(wait.nonce, wait);
    this.#session.emit('timeline', channelId);
    return wait;
  }

  async #send(wait, payload, files) {
    const body = { ...payload, nonce: wait.nonce };
    try {
      await (files.length
        ? this.#session.api.postFiles('/interactions', body, files)
        : this.#session.api.post('/interactions', body));
    } catch (error) {
      if (!(error instanceof DiscordError)) throw error;
      this.#fail(wait.nonce, error.message);
      this.#session.report(error);
    }
  }

  #identify({ id, nonce: key }) {
    const wait = this.#waits.get(String(key));
    if (wait) wait.interactionId = id;
  }

  #answeredOn(messageId) {
    for (const wait of this.#waits.values()) if (wait.messageId === messageId) this.#settle(wait.nonce);
  }

  #answeredBy(message) {
    const interaction = message.interaction_metadata ?? message.interaction;
    if (!interaction) return;
    const byId = [...this.#waits.values()].find((wait) => wait.interactionId === interaction.id);
    if (byId) this.#settle(byId.nonce);
  }

  #settle(key) {
    const wait = this.#waits.get(String(key));
    if (!wait) return;
    clearTimeout(wait.timer);
    this.#waits.delete(wait.nonce);
    this.#session.timeline(wait.channelId).settle(wait.nonce);
    this.#session.emit('timeline', wait.channelId);
  }

  #fail(key, reason) {
    const wait = this.#waits.get(String(key));
    if (!wait) return;
    clearTimeout(wait.timer);
    wait.error = reason;
    const row = this.#session.timeline(wait.channelId).pending.find((entry) => entry.nonce === wait.nonce);
    if (row) row.error = reason;
    this.#session.emit('timeline', wait.channelId);
  }
}
