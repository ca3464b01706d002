/** @file The sidebar: servers with their channels and threads, direct messages, and who one speaks as. */

import { batched } from './emitter.js';
import { h, patch } from './dom.js';
import { avatar, gopherFace, icon, iconButton } from './icons.js';
import { channelSign } from './view_header.js';
import { identityView } from './view_identity.js';
import { arrowKeys } from './view_popover.js';
import { ChannelType } from './world.js';

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function sidebarView(ui, signal) {
  const list = h('div.channels');
  const render = batched(() => patch(list, sections(ui)), signal);
  for (const topic of ['world', 'unread', 'open', 'ready']) ui.session.on(topic, render, signal);
  render();
  arrowKeys(list, '[data-channel]');
  const close = iconButton('close', 'Close channels', () => ui.closeDrawers(), { class: 'only-narrow' });
  return h('nav.sidebar', { id: 'sidebar', 'aria-label': 'Channels' }, brand(close), list, identityView(ui, signal));
}

function brand(close) {
  const note = h(
    'span.simulated',
    { title: 'A stand-in on this machine that speaks Discord’s own protocol. Nothing here reaches discord.com.' },
    'Simulated Discord',
  );
  return h('header.brand', null, gopherFace(), h('span.brand-name', null, 'Gopher', note), close);
}

function sections(ui) {
  const { world } = ui.session;
  const guilds = [...world.guilds.values()].map((guild) =>
    section(guild.id, guild.name, 'server', () => guildParts(ui, guild)),
  );
  return [...guilds, section('direct', 'Direct messages', 'direct', () => directParts(ui))];
}

function section(id, title, className, parts) {
  const build = () => h('section', { class: className, 'aria-label': title }, h('h2', null, title), h('ul'));
  return {
    key: `${id}${title}`,
    build,
    update: (node) => patch(/** @type {Element} */ (node.querySelector('ul')), parts()),
  };
}

function guildParts(ui, guild) {
  const { world } = ui.session;
  return world.channelsOf(guild.id).flatMap((channel) => {
    if (channel.type === ChannelType.CATEGORY)
      return [
        { key: channel.id, sig: channel.name, build: () => h('li.category', { role: 'presentation' }, channel.name) },
      ];
    if (channel.type === ChannelType.VOICE)
      return [{ key: channel.id, sig: channel.name, build: () => voice(channel) }];
    return [link(ui, channel), ...world.threadsOf(channel.id).map((thread) => link(ui, thread, 'thread'))];
  });
}

function voice(channel) {
  return h(
    'li',
    null,
    h(
      'span.channel-link.silent',
      { title: 'Voice is not part of this page' },
      icon('speaker'),
      h('span.channel-name', null, channel.name),
    ),
  );
}

function directParts(ui) {
  const { world, members } = ui.session;
  const channels = world.directChannels();
  const partners = new Set(channels.map((channel) => world.partner(channel)?.id));
  const bots = [...world.users.values()].filter((user) => user.bot && !partners.has(user.id));
  const others = [...bots, ...members.filter((member) => member.id !== world.me.id && !partners.has(member.id))];
  return [...channels.map((channel) => link(ui, channel)), ...others.map((user) => newDirect(ui, user))];
}

/** Somebody with whom nothing was spoken yet. */
function newDirect(ui, user) {
  const person = ui.session.world.person(user.id);
  const button = () =>
    h(
      'button.channel-link.quiet',
      { type: 'button', dataset: { person: user.id }, onclick: () => ui.openDirect(user.id) },
      avatar(person, 'tiny'),
      h('span.channel-name', null, person.name),
    );
  return { key: `person-${user.id}`, sig: JSON.stringify(person), build: () => h('li', null, button()) };
}

function link(ui, channel, kind = '') {
  const { session } = ui;
  const isCurrent = session.current === channel.id;
  const isUnread = !isCurrent && session.unread.has(channel);
  const mentions = isCurrent ? 0 : session.unread.mentions(channel.id);
  const partner = session.world.partner(channel);
  const person = partner && session.world.person(partner.id);
  const facts = [isCurrent, isUnread, mentions, session.world.titleOf(channel), person];
  return {
    key: channel.id,
    sig: JSON.stringify(facts),
    build: () => h('li', { class: kind }, linkView(ui, channel, { isCurrent, isUnread, mentions, person })),
  };
}

function linkView(ui, channel, { isCurrent, isUnread, mentions, person }) {
  const sign = person ? avatar(person, 'tiny') : icon(channelSign(ui.session.world, channel));
  const name = h('span.channel-name', null, ui.session.world.titleOf(channel));
  const note = mentions ? `, ${mentions} unread mentions` : isUnread ? ', unread' : '';
  return h(
    'button.channel-link',
    {
      type: 'button',
      class: `${isCurrent ? 'current' : ''} ${isUnread ? 'unread' : ''}`,
      'aria-current': isCurrent ? 'page' : null,
      'aria-label': `${ui.session.world.titleOf(channel)}${note}`,
      dataset: { channel: channel.id, focus: channel.id },
      onclick: () => ui.openChannel(channel.id),
    },
    sign,
    name,
    mentions ? h('span.mention-count', { 'aria-hidden': 'true' }, mentions) : null,
  );
}
