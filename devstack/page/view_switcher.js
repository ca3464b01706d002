/** @file Ctrl+K: to any channel, thread or person by name. */

import { h } from './dom.js';
import { Listbox } from './listbox.js';
import { openDialog } from './view_dialog.js';
import { ChannelType, isDirect } from './world.js';

const MOST = 9;

/** @param {import('./view_shell.js').Ui} ui */
export function openSwitcher(ui) {
  if (document.querySelector('dialog.switcher')) return;
  const field = /** @type {HTMLInputElement} */ (
    h('input', {
      type: 'text',
      placeholder: 'Where to?',
      'aria-label': 'Channel or person',
      autofocus: true,
      autocomplete: 'off',
    })
  );
  const go = (item) => {
    dialog.close();
    item.go();
  };
  const list = new Listbox(field, go, 'Destinations');
  const dialog = openDialog({ title: 'Go to', className: 'switcher', content: [field, list.element] });
  const all = destinations(ui);
  const show = () => list.show(matching(all, field.value.trim()));
  field.addEventListener('input', show);
  field.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') dialog.close();
    else list.handleKey(event);
  });
  show();
}

/** Unread places first, then channels in the sidebar's order, then people. */
function destinations(ui) {
  const { world, unread, members, current } = ui.session;
  const channels = [...world.guilds.values()].flatMap((guild) =>
    world
      .channelsOf(guild.id)
      .filter((channel) => ![ChannelType.CATEGORY, ChannelType.VOICE].includes(channel.type))
      .flatMap((channel) => [channel, ...world.threadsOf(channel.id)]),
  );
  const places = channels.map((channel) => ({
    label: world.titleOf(channel),
    detail: placeDetail(world, channel),
    sign: '#',
    id: channel.id,
    isUnread: unread.has(channel),
    go: () => ui.openChannel(channel.id),
  }));
  const ids = new Set([
    ...world.directChannels().map((channel) => world.partner(channel)?.id),
    ...[...world.users.values()].filter((user) => user.bot).map((user) => user.id),
    ...members.map((member) => member.id),
  ]);
  const people = [...ids]
    .filter((id) => id && id !== world.me.id)
    .map((id) => ({
      label: world.nameOf(id),
      detail: 'direct message',
      person: world.person(id),
      id,
      isUnread: false,
      go: () => ui.openDirect(id),
    }));
  return [...places, ...people]
    .filter((item) => item.id !== current)
    .sort((a, b) => Number(b.isUnread) - Number(a.isUnread));
}

function placeDetail(world, channel) {
  const guild = world.guilds.get(channel.guild_id)?.name ?? '';
  const parent = world.channels.get(channel.parent_id);
  return parent && !isDirect(channel) && parent.type !== ChannelType.CATEGORY ? `${parent.name} · ${guild}` : guild;
}

function matching(all, typed) {
  const wanted = typed.replace(/^[#@]/, '').toLocaleLowerCase();
  const kind = { '#': (item) => item.sign, '@': (item) => item.person }[typed[0]] ?? (() => true);
  const rank = (item) => {
    const name = item.label.toLocaleLowerCase();
    return name.startsWith(wanted) ? 0 : name.includes(wanted) ? 1 : 2;
  };
  return all
    .filter((item) => kind(item) && rank(item) < 2)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, MOST);
}
