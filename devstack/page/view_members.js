/** @file The members of the shown channel, and a card for each. */

import { batched } from './emitter.js';
import { h, patch } from './dom.js';
import { avatar, iconButton } from './icons.js';
import { arrowKeys, openPopover } from './view_popover.js';
import { isDirect } from './world.js';

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function membersView(ui, signal) {
  const list = h('div.member-list');
  const close = iconButton('close', 'Close members', () => ui.closeDrawers(), { class: 'only-narrow' });
  const element = h('aside.members', { id: 'members', 'aria-label': 'Members of this channel' }, close, list);
  const render = batched(() => {
    const channel = ui.session.channel;
    element.hidden = !channel || isDirect(channel);
    if (channel) patch(list, parts(ui, channel));
  }, signal);
  for (const topic of ['world', 'open', 'ready']) ui.session.on(topic, render, signal);
  arrowKeys(list, 'button');
  return element;
}

function parts(ui, channel) {
  const people = ui.session.world.peopleIn(channel);
  return [
    group(
      'Applications',
      people.filter((person) => person.bot),
      ui,
    ),
    group(
      'People',
      people.filter((person) => !person.bot),
      ui,
    ),
  ];
}

function group(title, people, ui) {
  const build = () =>
    h(
      'section',
      { hidden: !people.length },
      h('h2', null, `${title} — ${people.length}`),
      h(
        'ul',
        null,
        people.map((person) => h('li', null, member(person, ui))),
      ),
    );
  return { key: title, sig: JSON.stringify(people), build };
}

function member(person, ui) {
  const button = h(
    'button.member',
    { type: 'button', 'aria-haspopup': 'dialog', onclick: () => openCard(ui, button, person) },
    avatar(person, 'small'),
    h('span', null, person.name),
    person.bot && h('span.badge', null, 'BOT'),
  );
  return button;
}

function openCard(ui, anchor, person) {
  const { world, member: me } = ui.session;
  const act = (label, className, action) => {
    const run = () => {
      popover.close();
      action();
    };
    return h(`button.${className}`, { type: 'button', onclick: run }, label);
  };
  const roles = world.guilds.get(ui.guildId)?.members.get(person.id)?.roles ?? [];
  const names = roles.map((id) => world.guilds.get(ui.guildId)?.roles.get(id)?.name).filter(Boolean);
  const isOther = person.id !== me.id;
  const content = [
    h(
      'div.card-head',
      null,
      avatar(person),
      h('div', null, h('b', null, person.name), h('small', null, world.users.get(person.id)?.username)),
    ),
    names.length
      ? h(
          'p.card-roles',
          null,
          names.map((name) => h('span.role', null, name)),
        )
      : null,
    h(
      'div.card-actions',
      null,
      act('Mention', 'secondary', () => ui.composer?.mention(person)),
      isOther ? act('Message', 'primary', () => ui.openDirect(person.id)) : null,
    ),
  ];
  const popover = openPopover(anchor, { label: person.name, className: 'card', content });
  popover.element.querySelector('button')?.focus();
}
