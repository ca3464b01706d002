/** @file Discord's gateway v10: identify, heartbeats, resume, and coming back after any loss. */

import { Emitter } from './emitter.js';

const Op = Object.freeze({
  DISPATCH: 0,
  HEARTBEAT: 1,
  IDENTIFY: 2,
  RESUME: 6,
  RECONNECT: 7,
  INVALID_SESSION: 9,
  HELLO: 10,
  HEARTBEAT_ACK: 11,
});

const FINAL_CLOSE_CODES = new Set([4004, 4010, 4011, 4012, 4013, 4014]); // trying again cannot help
const FRESH_CLOSE_CODES = new Set([1000, 1001, 4003, 4007, 4009]); // the session is gone, a new one is not refused
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;
const HELLO_TIMEOUT_MS = 10_000; // a socket that opens and says nothing is as bad as none

/**
 * One member's gateway session. Emits `dispatch` ({type, data}) and `state` ({state, retryAt}) where state is one of
 * `connecting`, `ready`, `reconnecting`, `refused`, `stopped` and `retryAt` is the time of the next attempt or null.
 */
export class Gateway extends Emitter {
  #token;
  #findUrl;
  /** @type {WebSocket | null} */
  #socket = null;
  /** @type {{id: string, url: string} | null} */
  #session = null;
  /** @type {number | null} */
  #sequence = null;
  #acknowledged = true;
  #attempts = 0;
  #beatTimer = 0;
  #retryTimer = 0;
  #helloTimer = 0;
  state = 'connecting';

  /** @param {{token: string, findUrl: () => Promise<string>}} parts `findUrl` is GET /gateway */
  constructor({ token, findUrl }) {
    super();
    this.#token = token;
    this.#findUrl = findUrl;
  }

  /** @returns {string | null} what interactions name as their session */
  get sessionId() {
    return this.#session?.id ?? null;
  }

  /** Opens the connection and keeps it open until `stop`. */
  async start() {
    clearTimeout(this.#retryTimer);
    try {
      const url = new URL(this.#session?.url ?? (await this.#findUrl()));
      if (this.state === 'stopped') return;
      url.searchParams.set('v', '10');
      url.searchParams.set('encoding', 'json');
      this.#open(url);
    } catch {
      this.#lost(0);
    }
  }

  /** Closes for good. Repeatable. */
  stop() {
    this.#become('stopped');
    clearTimeout(this.#retryTimer);
    this.#drop(1000);
  }

  /** Tries again at once where the next attempt would be later. */
  reconnectNow() {
    if (this.state !== 'reconnecting' || this.#socket) return;
    this.#become('reconnecting');
    void this.start();
  }

  #open(url) {
    const socket = new WebSocket(url);
    this.#socket = socket;
    const mine = (listener) => (event) => this.#socket === socket && listener(event);
    socket.onmessage = mine((event) => this.#receive(JSON.parse(event.data)));
    socket.onclose = mine((event) => this.#lost(event.code));
    this.#helloTimer = setTimeout(() => this.#lost(0), HELLO_TIMEOUT_MS);
  }

  #receive({ op, d, s, t }) {
    if (s !== null && s !== undefined) this.#sequence = s;
    switch (op) {
      case Op.HELLO:
        return this.#greet(d.heartbeat_interval);
      case Op.HEARTBEAT:
        return this.#send(Op.HEARTBEAT, this.#sequence);
      case Op.HEARTBEAT_ACK:
        this.#acknowledged = true;
        return undefined;
      case Op.RECONNECT:
        return this.#lost(4000);
      case Op.INVALID_SESSION:
        return this.#lost(d ? 4000 : 4007);
      default:
        return op === Op.DISPATCH ? this.#dispatch(t, d) : undefined;
    }
  }

  #greet(interval) {
    clearTimeout(this.#helloTimer);
    this.#acknowledged = true;
    this.#beatTimer = setTimeout(() => this.#beat(interval), interval * Math.random());
    const token = this.#token;
    if (this.#session) this.#send(Op.RESUME, { token, session_id: this.#session.id, seq: this.#sequence });
    else
      this.#send(Op.IDENTIFY, { token, properties: { os: 'browser', browser: 'gopher-page', device: 'gopher-page' } });
  }

  #beat(interval) {
    if (!this.#acknowledged) {
      this.#lost(4000); // the connection is dead although nobody closed it
      return;
    }
    this.#acknowledged = false;
    this.#send(Op.HEARTBEAT, this.#sequence);
    this.#beatTimer = setTimeout(() => this.#beat(interval), interval);
  }

  #dispatch(type, data) {
    if (type === 'READY') this.#session = { id: data.session_id, url: data.resume_gateway_url };
    this.emit('dispatch', { type, data });
    if (type !== 'READY' && type !== 'RESUMED') return;
    this.#attempts = 0;
    this.#become('ready');
  }

  #send(op, d) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify({ op, d }));
  }

  /** The connection ended with this close code (0 when there never was one): plan the next. */
  #lost(code) {
    this.#drop(4000);
    if (this.state === 'stopped') return;
    if (FINAL_CLOSE_CODES.has(code)) {
      this.#become('refused');
      return;
    }
    if (FRESH_CLOSE_CODES.has(code)) this.#session = null;
    const ceiling = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#attempts);
    const wait = ceiling * (0.5 + Math.random() / 2); // spread out, so that many pages do not come back in one instant
    this.#attempts += 1;
    this.#become('reconnecting', Date.now() + wait);
    this.#retryTimer = setTimeout(() => void this.start(), wait);
  }

  /** Lets go of the socket without waiting for its close: on a dead network that takes minutes. */
  #drop(code) {
    clearTimeout(this.#beatTimer);
    clearTimeout(this.#helloTimer);
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(code);
  }

  /** @param {string} state @param {number | null} [retryAt] */
  #become(state, retryAt = null) {
    this.state = state;
    this.emit('state', { state, retryAt });
  }
}
