/** @file The bar above the messages: where one is, and what can be opened from there. */

import { h } from './dom.js';
import { avatar, icon, iconButton } from './icons.js';
import { Permission } from './permissions.js';
import { openShortcuts } from './view_shortcuts.js';
import { ChannelType, isDirect, isThread } from './world.js';

/** @param {import('./world.js').World} world @param {any} channel @returns {any} the icon's name */
export function channelSign(world, channel) {
  if (isThread(channel)) return channel.type === ChannelType.PRIVATE_THREAD ? 'lock' : 'thread';
  if (channel.type === ChannelType.VOICE) return 'speaker';
  if (channel.type === ChannelType.ANNOUNCEMENT) return 'megaphone';
  const everyone = channel.permission_overwrites?.find((overwrite) => overwrite.id === channel.guild_id);
  return everyone && (BigInt(everyone.deny) & Permission.VIEW_CHANNEL) !== 0n ? 'lock' : 'hash';
}

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {any} channel
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function headerView(ui, channel, signal) {
  const title = h('div.header-title');
  const render = () => {
    const current = ui.session.world.channels.get(channel.id);
    if (current) title.replaceChildren(...titleParts(ui, current));
  };
  ui.session.on('world', render, signal);
  render();
  return h(
    'header.channel-header',
    null,
    iconButton('menu', 'Channels', () => ui.toggleDrawer('sidebar'), { class: 'only-narrow' }),
    title,
    actions(ui, channel),
  );
}

function titleParts(ui, channel) {
  const { world } = ui.session;
  const name = h('h1', null, world.titleOf(channel));
  if (isDirect(channel)) return [avatar(ui.person(world.partner(channel).id), 'small'), name];
  const parent = isThread(channel) && world.channels.get(channel.parent_id);
  const crumb = parent
    ? [
        h('button.crumb', { type: 'button', onclick: () => ui.openChannel(parent.id) }, icon('hash'), parent.name),
        icon('chevron'),
      ]
    : [];
  const topic = channel.topic ? [h('p.topic', { title: channel.topic }, channel.topic)] : [];
  return [...crumb, icon(channelSign(world, channel)), name, ...topic];
}

function actions(ui, channel) {
  const { world } = ui.session;
  const isPlace = !isDirect(channel) && !isThread(channel);
  const mayStart = isPlace && world.can(channel, Permission.CREATE_PUBLIC_THREADS);
  const mayBePrivate = world.can(channel, Permission.CREATE_PRIVATE_THREADS);
  const thread =
    mayStart &&
    iconButton('thread', 'New thread', () => void ui.startThread(undefined, mayBePrivate), { class: 'not-tiny' });
  return h(
    'div.header-actions',
    null,
    thread,
    iconButton('search', 'Go to… (Ctrl+K)', () => ui.openSwitcher()),
    iconButton('keyboard', 'Keyboard (Ctrl+/)', openShortcuts, { class: 'not-touch' }),
    !isDirect(channel) &&
      iconButton('people', 'Members', () => ui.toggleDrawer('members'), { 'aria-controls': 'members' }),
  );
}
