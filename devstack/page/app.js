/** @file Beginning: who speaks, which channel, and what happens when that changes. */

import { simulatedMembers, simulatorInfo, DiscordError } from './api.js';
import { h } from './dom.js';
import { Session } from './session.js';
import { Ui } from './view_shell.js';
import { toast } from './view_toasts.js';

const MEMBER_KEY = 'gopher.member'; // an id; tokens are asked for anew and stay in memory

const app = /** @type {HTMLElement} */ (document.getElementById('app'));

/** @type {AbortController | null} */
let running = null;

/** Speaks as one member from now on. */
function start(members, info, memberId) {
  running?.abort();
  running = new AbortController();
  const { signal } = running;
  sessionStorage.setItem(MEMBER_KEY, memberId);
  const member = members.find((each) => each.id === memberId);
  const session = new Session({ member, members, info });
  const ui = new Ui(session, (id) => start(members, info, id), signal);
  signal.addEventListener('abort', () => session.stop());
  session.on('open', () => writeAddress(session), signal);
  session.on('ready', () => session.channel || openFromAddress(session, ui), signal);
  window.addEventListener('hashchange', () => openFromAddress(session, ui), { signal });
  app.replaceChildren(ui.root);
  void session.start();
}

/** The shown channel stands in the address, so that it can be reloaded, linked and gone back from. */
function writeAddress(session) {
  const { channel } = session;
  if (channel) location.hash = `/channels/${channel.guild_id ?? '@me'}/${channel.id}`;
}

function openFromAddress(session, ui) {
  const [, channelId, messageId] = /^#\/channels\/[^/]+\/(\d+)(?:\/(\d+))?/.exec(location.hash) ?? [];
  if (!channelId || !session.world.channels.has(channelId)) ui.openHome();
  else if (channelId !== session.current) ui.openChannel(channelId);
  if (messageId && session.current === channelId) void ui.jumpTo(messageId);
}

async function begin() {
  const [members, info] = await Promise.all([simulatedMembers(), simulatorInfo()]);
  const wanted = new URLSearchParams(location.search).get('as') ?? sessionStorage.getItem(MEMBER_KEY);
  const member =
    members.find((each) => each.id === wanted || each.name.toLowerCase() === wanted?.toLowerCase()) ?? members[0];
  start(members, info, member.id);
}

window.addEventListener('unhandledrejection', (event) =>
  toast(`Something went wrong in this page: ${event.reason?.message ?? event.reason}`),
);

begin().catch((error) => {
  if (!(error instanceof DiscordError)) throw error;
  const retry = h('button.primary', { type: 'button', onclick: () => location.reload() }, 'Try again');
  app.replaceChildren(h('div.boot', { role: 'alert' }, h('p', null, error.message), retry));
});
