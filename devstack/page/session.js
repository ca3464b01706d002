/** @file One member's session: joins the gateway's events with what is in memory, and tells the views. */

import { Api } from './api.js';
import { Emitter } from './emitter.js';
import { Gateway } from './gateway.js';
import { Interactions } from './interactions.js';
import { Permission } from './permissions.js';
import { Timeline } from './timeline.js';
import { Typing } from './typing.js';
import { Unread } from './unread.js';
import { World, isThread } from './world.js';

/**
 * Emits: `world` (names, channels), `timeline` (channel id), `typing` (channel id), `message` (a new one),
 * `unread`, `gateway` ({state, retryAt}), `open` (channel id), `ready`, `error` (an Error to show).
 */
export class Session extends Emitter {
  /** @type {Map<string, Timeline>} */ #timelines = new Map();
  world = new World();
  /** @type {string | null} the channel that is shown */ current = null;
  /** @type {{state: string, retryAt: number | null}} */ connection = { state: 'connecting', retryAt: null };
  /** True while the newest message of the current channel is on the screen of a reader who looks at it. */
  isReading = false;

  /**
   * @param {{member: {id: string, name: string, colour: string, token: string}, members: any[], info: any}} parts the member to speak as, all
   *   members, and the simulator's facts
   */
  constructor({ member, members, info }) {
    super();
    this.member = member;
    this.members = members;
    this.info = info;
    for (const each of members) {
      this.world.addUser({ id: each.id, username: each.username, global_name: each.name });
      this.world.colors.set(each.id, each.colour);
    }
    this.world.gopherId = info.bot?.id ?? null;
    this.world.me = this.world.users.get(member.id);
    this.unread = new Unread(member.id);
    this.typing = new Typing((channelId) => this.emit('typing', channelId));
    this.api = new Api(member.token);
    this.interactions = new Interactions(this);
    this.gateway = new Gateway({ token: member.token, findUrl: async () => (await this.api.get('/gateway')).url });
    this.gateway.on('dispatch', ({ type, data }) => this.#dispatch(type, data));
    this.gateway.on('state', (connection) => this.emit('gateway', (this.connection = connection)));
  }

  /** Connects. */
  start() {
    return this.gateway.start();
  }

  /** Disconnects and forgets. Repeatable. */
  stop() {
    this.gateway.stop();
    this.typing.clear();
    this.interactions.clear();
  }

  /** @param {string} channelId @returns {Timeline} made when first asked for */
  timeline(channelId) {
    const known = this.#timelines.get(channelId);
    if (known) return known;
    const timeline = new Timeline();
    this.#timelines.set(channelId, timeline);
    return timeline;
  }

  /** @returns {any | null} the channel that is shown */
  get channel() {
    return (this.current && this.world.channels.get(this.current)) || null;
  }

  /** Shows a channel. @param {string} channelId */
  open(channelId) {
    this.current = channelId;
    this.emit('open', channelId);
  }

  /** @param {any} message @returns {boolean} addresses this member */
  mentionsMe(message) {
    const me = this.world.me.id;
    if (message.author?.id === me) return false;
    if (message.mention_everyone || message.mentions?.some((user) => user.id === me)) return true;
    const roles =
      this.world.guilds.get(this.world.channels.get(message.channel_id)?.guild_id)?.members.get(me)?.roles ?? [];
    return Boolean(message.mention_roles?.some((role) => roles.includes(role)));
  }

  /** @param {Error} error shown as a notice */
  report(error) {
    this.emit('error', error);
  }

  /** The newest message of the shown channel has been seen. */
  markRead() {
    const channel = this.channel;
    if (channel && this.unread.markRead(channel.id, channel.last_message_id)) this.emit('unread');
  }

  #dispatch(type, data) {
    if (this.world.apply(type, data)) this.emit('world');
    this.interactions.apply(type, data);
    this.#reactions[type]?.(data);
  }

  #reactions = {
    READY: () => this.#ready(),
    GUILD_CREATE: () => this.#arrived(),
    MESSAGE_CREATE: (data) => this.#messageCreate(data),
    MESSAGE_UPDATE: (data) => this.#change(data.channel_id, (timeline) => timeline.update(data)),
    MESSAGE_DELETE: (data) => this.#change(data.channel_id, (timeline) => timeline.remove([data.id])),
    MESSAGE_DELETE_BULK: (data) => this.#change(data.channel_id, (timeline) => timeline.remove(data.ids)),
    MESSAGE_REACTION_ADD: (data) =>
      this.#change(data.channel_id, (timeline) => timeline.react(data, true, this.world.me.id)),
    MESSAGE_REACTION_REMOVE: (data) =>
      this.#change(data.channel_id, (timeline) => timeline.react(data, false, this.world.me.id)),
    MESSAGE_REACTION_REMOVE_ALL: (data) =>
      this.#change(data.channel_id, (timeline) => timeline.clearReactions(data.message_id)),
    MESSAGE_REACTION_REMOVE_EMOJI: (data) =>
      this.#change(data.channel_id, (timeline) => timeline.clearReactions(data.message_id, data.emoji)),
    TYPING_START: (data) => data.user_id !== this.world.me.id && this.typing.began(data.channel_id, data.user_id),
    THREAD_CREATE: (data) => this.#threadChanged(data),
    THREAD_UPDATE: (data) => this.#threadChanged(data),
    CHANNEL_DELETE: (data) => this.#forget(data.id),
    THREAD_DELETE: (data) => this.#forget(data.id),
  };

  /** A new gateway session: what happened before it is not told, so everything is read again when it is shown. */
  #ready() {
    for (const [id, timeline] of this.#timelines) {
      if (id !== this.current) this.#timelines.delete(id);
      else timeline.isStale = timeline.loaded;
    }
    this.#arrived();
    this.emit('ready');
    if (this.current) this.emit('timeline', this.current);
  }

  #arrived() {
    this.unread.baseline(this.world.channels.values());
    this.emit('unread');
  }

  #messageCreate(message) {
    this.receive(message);
    this.emit('message', message);
    if (message.channel_id === this.current && this.isReading) return;
    if (this.mentionsMe(message) || (!message.guild_id && message.author.id !== this.world.me.id))
      this.unread.countMention(message.channel_id);
    this.emit('unread');
  }

  /** A message that this member now knows of, from the gateway or as the answer to a request. Repeatable. @param {any} message */
  receive(message) {
    this.world.noteMessage(message);
    this.typing.ended(message.channel_id, message.author.id);
    this.#change(message.channel_id, (timeline) => timeline.receive(message));
    if (message.author.id !== this.world.me.id) return;
    if (this.unread.markRead(message.channel_id, message.id)) this.emit('unread');
  }

  #change(channelId, change) {
    change(this.timeline(channelId));
    this.emit('timeline', channelId);
  }

  /** The message that a thread grew from carries its card. */
  #threadChanged(thread) {
    if (!isThread(thread)) return;
    const parent = this.timeline(thread.parent_id);
    const starter = parent.find(thread.id);
    if (!starter) return;
    parent.update({ id: starter.id, thread: { ...starter.thread, ...thread }, flags: (starter.flags ?? 0) | 32 });
    this.emit('timeline', thread.parent_id);
  }

  #forget(channelId) {
    this.#timelines.delete(channelId);
    if (this.current === channelId) this.emit('gone', channelId);
  }

  /** @returns {any | undefined} where to begin: the first channel one may read and write */
  firstChannel() {
    for (const guild of this.world.guilds.values()) {
      const readable = this.world
        .channelsOf(guild.id)
        .find((channel) => channel.type === 0 && this.world.can(channel, Permission.SEND_MESSAGES));
      if (readable) return readable;
    }
    return this.world.directChannels()[0];
  }
}
