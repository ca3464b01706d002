/** @file Guilds, channels, threads and people as the gateway described them to one member. */

import { compareIds } from './format.js';
import { Permission, permissionsIn, timeoutOf } from './permissions.js';

/** Discord's channel types that this page knows. */
export const ChannelType = Object.freeze({
  TEXT: 0,
  DM: 1,
  VOICE: 2,
  CATEGORY: 4,
  ANNOUNCEMENT: 5,
  ANNOUNCEMENT_THREAD: 10,
  PUBLIC_THREAD: 11,
  PRIVATE_THREAD: 12,
});

/** @param {{type: number}} channel */
export const isThread = (channel) => channel.type >= 10 && channel.type <= 12;

/** Sent through a webhook that is no application's answer. @param {any} message */
export const isWebhook = (message) => Boolean(message.webhook_id) && !message.application_id;

/**
 * Somebody as the page shows them.
 * @typedef {{id: string, name: string, bot: boolean, isGopher: boolean, color: string | number | null | undefined}} Person
 */

/** @param {{type: number}} channel */
export const isDirect = (channel) => channel.type === ChannelType.DM;

/** What the signed-in member knows of the world. `apply` takes every gateway event and says whether anything changed. */
export class World {
  /** @type {Map<string, any>} */ guilds = new Map();
  /** @type {Map<string, any>} */ channels = new Map();
  /** @type {Map<string, any>} */ users = new Map();
  /** @type {Map<string, string | number>} colours of the members one can speak as */
  colors = new Map();
  /** @type {any} */ me = null;
  /** @type {string | null} the bot that has a face of its own */ gopherId = null;

  /**
   * @param {string} type
   * @param {any} data
   * @returns {boolean} true when a sidebar or a name may look different now
   */
  apply(type, data) {
    const change = this.#changes[type];
    if (!change) return false;
    change(data);
    return true;
  }

  #changes = {
    READY: (data) => this.#ready(data),
    GUILD_CREATE: (data) => this.#addGuild(data),
    GUILD_UPDATE: (data) => this.#addGuild(data),
    GUILD_DELETE: (data) => this.#removeGuild(data.id),
    GUILD_ROLE_CREATE: (data) => this.guilds.get(data.guild_id)?.roles.set(data.role.id, data.role),
    GUILD_ROLE_UPDATE: (data) => this.guilds.get(data.guild_id)?.roles.set(data.role.id, data.role),
    GUILD_ROLE_DELETE: (data) => this.guilds.get(data.guild_id)?.roles.delete(data.role_id),
    GUILD_MEMBER_ADD: (data) => this.addMember(data.guild_id, data),
    GUILD_MEMBER_UPDATE: (data) => this.addMember(data.guild_id, data),
    GUILD_MEMBER_REMOVE: (data) => this.guilds.get(data.guild_id)?.members.delete(data.user.id),
    CHANNEL_CREATE: (data) => this.addChannel(data),
    CHANNEL_UPDATE: (data) => this.addChannel(data),
    CHANNEL_DELETE: (data) => this.channels.delete(data.id),
    THREAD_CREATE: (data) => this.addChannel(data),
    THREAD_UPDATE: (data) => this.addChannel(data),
    THREAD_DELETE: (data) => this.channels.delete(data.id),
    THREAD_LIST_SYNC: (data) => data.threads.forEach((thread) => this.addChannel(thread, data.guild_id)),
    THREAD_MEMBERS_UPDATE: (data) => this.#threadMembers(data),
    USER_UPDATE: (data) => this.addUser(data),
  };

  #ready(data) {
    this.guilds.clear();
    this.channels.clear();
    this.me = data.user;
    this.addUser(data.user);
    for (const user of data.users ?? []) this.addUser(user);
    for (const channel of data.private_channels ?? []) this.addChannel(channel);
    for (const guild of data.guilds ?? []) if (!guild.unavailable) this.#addGuild(guild);
  }

  #addGuild(data) {
    const known = this.guilds.get(data.id);
    const guild = { roles: new Map(), members: new Map(), ...known, ...data.properties, ...data };
    guild.roles = data.roles ? new Map(data.roles.map((role) => [role.id, role])) : (known?.roles ?? new Map());
    guild.members = known?.members ?? new Map();
    this.guilds.set(data.id, guild);
    for (const member of data.members ?? []) this.addMember(data.id, member);
    for (const channel of data.channels ?? []) this.addChannel(channel, data.id);
    for (const thread of data.threads ?? []) this.addChannel(thread, data.id);
  }

  #removeGuild(id) {
    this.guilds.delete(id);
    for (const channel of this.channels.values()) if (channel.guild_id === id) this.channels.delete(channel.id);
  }

  #threadMembers(data) {
    const thread = this.channels.get(data.id);
    if (data.removed_member_ids?.includes(this.me.id) && thread?.type === ChannelType.PRIVATE_THREAD)
      this.channels.delete(data.id);
    else if (thread) thread.member_count = data.member_count;
  }

  /** @param {any} user a partial user keeps what was known already */
  addUser(user) {
    this.users.set(user.id, { ...this.users.get(user.id), ...user });
  }

  /** @param {string} guildId @param {any} member */
  addMember(guildId, member) {
    if (member.user) this.addUser(member.user);
    const members = this.guilds.get(guildId)?.members;
    const id = member.user?.id ?? member.user_id;
    members?.set(id, { ...members.get(id), ...member });
  }

  /** @param {any} channel a channel, thread or DM @param {string} [guildId] */
  addChannel(channel, guildId) {
    for (const recipient of channel.recipients ?? []) this.addUser(recipient);
    const known = this.channels.get(channel.id);
    this.channels.set(channel.id, { ...known, guild_id: guildId, ...channel });
  }

  /** Remembers the newest message and its author. @param {any} message */
  noteMessage(message) {
    if (message.author && !isWebhook(message)) this.addUser(message.author);
    if (message.guild_id && message.member && message.author)
      this.addMember(message.guild_id, { ...message.member, user: message.author });
    const channel = this.channels.get(message.channel_id);
    const isEphemeral = ((message.flags ?? 0) & 64) !== 0;
    if (channel && !isEphemeral && compareIds(message.id, channel.last_message_id ?? '0') > 0)
      channel.last_message_id = message.id;
  }

  /** @returns {any[]} the guild's visible channels, categories and their children in Discord's order */
  channelsOf(guildId) {
    const all = [...this.channels.values()].filter((channel) => channel.guild_id === guildId && !isThread(channel));
    const order = (a, b) => (a.position ?? 0) - (b.position ?? 0) || compareIds(a.id, b.id);
    const children = (parent) =>
      all
        .filter(
          (channel) =>
            channel.type !== ChannelType.CATEGORY &&
            (channel.parent_id ?? null) === parent &&
            this.can(channel, Permission.VIEW_CHANNEL),
        )
        .sort(order);
    const categories = all.filter((channel) => channel.type === ChannelType.CATEGORY).sort(order);
    const grouped = categories.flatMap((category) => {
      const inside = children(category.id);
      return inside.length ? [category, ...inside] : [];
    });
    return [...children(null), ...grouped];
  }

  /** @returns {any[]} open threads under a channel, oldest first */
  threadsOf(channelId) {
    return [...this.channels.values()]
      .filter((channel) => isThread(channel) && channel.parent_id === channelId && !channel.thread_metadata?.archived)
      .sort((a, b) => compareIds(a.id, b.id));
  }

  /** @returns {any[]} direct messages, the most recently used first */
  directChannels() {
    const latest = (channel) => channel.last_message_id ?? channel.id;
    return [...this.channels.values()].filter(isDirect).sort((a, b) => compareIds(latest(b), latest(a)));
  }

  /** @returns {any} the one the member talks with in a DM; undefined in a guild's channel */
  partner(channel) {
    const other = channel.recipients?.find((user) => user.id !== this.me.id) ?? channel.recipients?.[0];
    return other && (this.users.get(other.id) ?? other);
  }

  /** @param {any} channel @param {bigint} permission @returns {boolean} */
  can(channel, permission) {
    if (!channel.guild_id) return permission !== Permission.MANAGE_MESSAGES && permission !== Permission.MANAGE_THREADS;
    const guild = this.guilds.get(channel.guild_id);
    const place = isThread(channel) ? this.channels.get(channel.parent_id) : channel;
    if (!guild || !place) return false;
    return (permissionsIn(guild, guild.members.get(this.me.id), this.me.id, place) & permission) !== 0n;
  }

  /** @param {any} channel @returns {boolean} may write there */
  canSend(channel) {
    if (channel.thread_metadata?.locked && !this.can(channel, Permission.MANAGE_THREADS)) return false;
    return this.can(channel, isThread(channel) ? Permission.SEND_MESSAGES_IN_THREADS : Permission.SEND_MESSAGES);
  }

  /** @param {any} channel @returns {Date | null} until when this member may only read there */
  timeoutIn(channel) {
    return timeoutOf(this.guilds.get(channel.guild_id)?.members.get(this.me.id));
  }

  /** @param {string} userId @param {string | null} [guildId] @returns {string} the name that people see */
  nameOf(userId, guildId) {
    const user = this.users.get(userId);
    const nick = guildId && this.guilds.get(guildId)?.members.get(userId)?.nick;
    return nick || user?.global_name || user?.username || 'unknown';
  }

  /** @param {string} userId @param {string | null} [guildId] @returns {Person} */
  person(userId, guildId) {
    const user = this.users.get(userId);
    const color = this.colors.get(userId) ?? user?.accent_color;
    return {
      id: userId,
      name: this.nameOf(userId, guildId),
      bot: Boolean(user?.bot),
      isGopher: userId === this.gopherId,
      color,
    };
  }

  /** @param {any} channel @returns {Person[]} who may be mentioned there, by name */
  peopleIn(channel) {
    const ids = channel.guild_id
      ? [...(this.guilds.get(channel.guild_id)?.members.keys() ?? [])]
      : [this.me.id, ...(channel.recipients ?? []).map((user) => user.id)];
    const place = isThread(channel) ? this.channels.get(channel.parent_id) : channel;
    const people = [...new Set(ids)]
      .filter((id) => this.#canView(id, place))
      .map((id) => this.person(id, channel.guild_id));
    return people.sort((a, b) => a.name.localeCompare(b.name));
  }

  #canView(userId, place) {
    const guild = place?.guild_id && this.guilds.get(place.guild_id);
    if (!guild) return true;
    return (permissionsIn(guild, guild.members.get(userId), userId, place) & Permission.VIEW_CHANNEL) !== 0n;
  }

  /** @param {any} channel @returns {string} as a person would say it, without # or @ */
  titleOf(channel) {
    return channel.name ?? (isDirect(channel) ? this.nameOf(this.partner(channel)?.id) : 'unknown');
  }
}
