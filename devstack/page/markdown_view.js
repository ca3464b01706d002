/** @file The tree of a message's content as DOM nodes. Every word becomes a text node; only http(s) addresses become links. */

import { h } from './dom.js';
import { fullTime, styledTime } from './format.js';
import { icon } from './icons.js';
import { parse } from './markdown.js';

/**
 * What the pills need to know.
 * @typedef {{world: import('./world.js').World, guildId: string | null | undefined, onChannel: (id: string) => void}} Surroundings
 */

/**
 * Renders content.
 * @param {string} source
 * @param {Surroundings} around
 * @param {{blocks?: boolean}} [options] as `parse` takes them
 * @returns {HTMLElement[] | Node[]}
 */
export function renderMarkdown(source, around, options) {
  return render(parse(source, options), around);
}

/** @param {string} address @returns {string | null} the address when a link to it is safe, else null */
export function safeHref(address) {
  try {
    const url = new URL(address);
    return url.protocol === 'http:' || url.protocol === 'https:' ? url.href : null;
  } catch {
    return null; // not an address at all
  }
}

/** @param {string} href @param {...any} children @returns {HTMLElement} a link that opens elsewhere and tells nothing */
export function externalLink(href, ...children) {
  const safe = safeHref(href);
  if (!safe) return h('span', null, ...children);
  return h('a', { href: safe, target: '_blank', rel: 'noopener noreferrer nofollow', title: safe }, ...children);
}

function render(nodes, around) {
  return nodes.map((node) => renderers[node.type](node, around));
}

const inside = (node, around) => render(node.children ?? [], around);

const renderers = {
  text: ({ text }) => document.createTextNode(text),
  break: () => h('br'),
  strong: (node, around) => h('strong', null, inside(node, around)),
  emphasis: (node, around) => h('em', null, inside(node, around)),
  underline: (node, around) => h('u', null, inside(node, around)),
  strike: (node, around) => h('s', null, inside(node, around)),
  code: ({ text }) => h('code', null, text),
  fence: (node) => fence(node),
  spoiler: (node, around) => spoiler(inside(node, around)),
  quote: (node, around) => h('blockquote', null, inside(node, around)),
  heading: (node, around) =>
    h(`div.heading.level-${node.level}`, { role: 'heading', 'aria-level': node.level + 3 }, inside(node, around)),
  subtext: (node, around) => h('div.subtext', null, inside(node, around)),
  list: (node, around) => list(node, around),
  link: (node, around) => externalLink(node.href, inside(node, around)),
  user: ({ id }, around) => userPill(id, around),
  role: ({ id }, around) =>
    h('span.pill', null, `@${around.world.guilds.get(around.guildId)?.roles.get(id)?.name ?? 'unknown role'}`),
  channel: ({ id }, around) => channelPill(id, around),
  command: ({ name }) => h('span.pill', null, `/${name}`),
  everyone: ({ name }) => h('span.pill', null, `@${name}`),
  time: (node) => timestamp(node),
};

function list(node, around) {
  const items = node.items.map((item) => h('li', null, render(item, around)));
  return node.ordered ? h('ol', { start: node.start }, items) : h('ul', null, items);
}

function userPill(id, around) {
  const isMe = id === around.world.me.id;
  return h(
    'span.pill',
    { class: isMe ? 'me' : '', dataset: { user: id } },
    `@${around.world.nameOf(id, around.guildId)}`,
  );
}

function channelPill(id, around) {
  const channel = around.world.channels.get(id);
  if (!channel) return h('span.pill', null, '#unknown');
  return h('button.pill', { type: 'button', onclick: () => around.onChannel(id) }, `#${around.world.titleOf(channel)}`);
}

function timestamp({ seconds, style }) {
  const time = new Date(seconds * 1000);
  if (Number.isNaN(time.getTime())) return h('span.pill', null, 'invalid date');
  return h('time.inline', { datetime: time.toISOString(), title: fullTime(time) }, styledTime(time, style));
}

function spoiler(children) {
  const node = h(
    'span.spoiler',
    { role: 'button', tabindex: 0, 'aria-expanded': 'false', 'aria-label': 'Spoiler, hidden' },
    h('span.spoiler-content', null, children),
  );
  const reveal = (event) => {
    if (node.classList.contains('open')) return;
    event.preventDefault();
    event.stopPropagation();
    node.classList.add('open');
    node.setAttribute('aria-expanded', 'true');
    node.removeAttribute('aria-label');
  };
  node.addEventListener('click', reveal);
  node.addEventListener('keydown', (event) => (event.key === 'Enter' || event.key === ' ') && reveal(event));
  return node;
}

function fence({ text, language }) {
  const label = h('span.copy-label', null, 'Copy');
  const copy = h('button.copy', { type: 'button', 'aria-label': 'Copy code' }, icon('copy'), label);
  copy.addEventListener('click', async () => {
    const copied = await copyText(text);
    label.textContent = copied ? 'Copied' : 'Select and copy by hand';
    setTimeout(() => (label.textContent = 'Copy'), 2000);
  });
  const head = h('div.fence-head', null, h('span.language', null, language || 'text'), copy);
  return h(
    'div.fence',
    null,
    head,
    h('pre', { tabindex: 0, 'aria-label': `Code, ${language || 'text'}` }, h('code', null, text)),
  );
}

/** @param {string} text @returns {Promise<boolean>} false where the browser does not let the page */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    if (error instanceof DOMException || error instanceof TypeError) return false; // no permission, or not a secure context
    throw error;
  }
}
