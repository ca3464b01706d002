/** @file Who one speaks as, and the menu to speak as somebody else. */

import { batched } from './emitter.js';
import { h } from './dom.js';
import { avatar, icon } from './icons.js';
import { arrowKeys, openPopover } from './view_popover.js';

const STATES = {
  ready: 'online',
  connecting: 'connecting…',
  reconnecting: 'reconnecting…',
  refused: 'refused',
  stopped: 'offline',
};

/**
 * @param {import('./view_shell.js').Ui} ui
 * @param {AbortSignal} signal
 * @returns {HTMLElement}
 */
export function identityView(ui, signal) {
  const { member } = ui.session;
  const state = h('span.identity-state');
  const render = batched(() => {
    state.textContent = STATES[ui.session.connection.state];
    state.dataset.state = ui.session.connection.state;
  }, signal);
  ui.session.on('gateway', render, signal);
  render();
  const words = h('span.identity-words', null, h('small', null, 'Speaking as'), h('b', null, member.name), state);
  const button = h(
    'button.identity',
    {
      type: 'button',
      'aria-haspopup': 'menu',
      'aria-expanded': 'false',
      'aria-label': `Speaking as ${member.name}. Speak as somebody else`,
      onclick: () => openMenu(ui, button),
    },
    avatar({ id: member.id, name: member.name, color: member.colour }),
    words,
    icon('switch'),
  );
  return h('footer.identity-bar', null, button);
}

function openMenu(ui, anchor) {
  const { member, members } = ui.session;
  const choose = (id) => {
    popover.close();
    if (id !== member.id) ui.switchMember(id);
  };
  const items = members.map((each) => {
    const isCurrent = each.id === member.id;
    return h(
      'button.menu-item',
      {
        type: 'button',
        role: 'menuitemradio',
        'aria-checked': String(isCurrent),
        dataset: { member: each.id },
        onclick: () => choose(each.id),
      },
      avatar({ id: each.id, name: each.name, color: each.colour }, 'small'),
      h('span', null, each.name),
      isCurrent ? icon('check') : null,
    );
  });
  const content = [h('p.menu-heading', { role: 'presentation' }, 'Speak as'), items];
  const popover = openPopover(anchor, { label: 'Speak as', className: 'menu', role: 'menu', content });
  arrowKeys(popover.element, '.menu-item');
  (items.find((item) => item.dataset.member === member.id) ?? items[0]).focus();
}
