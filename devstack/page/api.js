/** @file Discord's REST API v10 as a member speaks it, and the two read-only routes of the simulator itself. */

const BASE = '/api/v10';
const RATE_LIMIT_ATTEMPTS = 4; // a 429 names its own wait; more than that many in a row is an outage, not a limit
const RATE_LIMIT_MAX_WAIT_S = 15;
const READ_ATTEMPTS = 3; // only GET is repeated after a failure: everything else may have happened

/** A request that Discord refused, or that did not reach it (`status` 0). `message` is a sentence for people. */
export class DiscordError extends Error {
  /**
   * @param {string} message
   * @param {{status: number, code?: number}} facts `code` is Discord's own (50013: missing permissions); 0 when it gave none
   */
  constructor(message, { status, code = 0 }) {
    super(message);
    this.name = 'DiscordError';
    this.status = status;
    this.code = code;
  }
}

/** The REST API for one member. Every method raises DiscordError and waits out rate limits by itself. */
export class Api {
  #token;

  /** @param {string} token the member's own; kept in memory only */
  constructor(token) {
    this.#token = token;
  }

  /** @param {string} path @param {Record<string, any>} [query] @returns {Promise<any>} */
  get(path, query) {
    return this.#request('GET', path, { query });
  }

  /** @param {string} path @param {any} [json] @returns {Promise<any>} null where Discord answers 204 */
  post(path, json) {
    return this.#request('POST', path, { json });
  }

  /** @param {string} path @param {any} json @returns {Promise<any>} */
  patch(path, json) {
    return this.#request('PATCH', path, { json });
  }

  /** @param {string} path @returns {Promise<any>} */
  put(path) {
    return this.#request('PUT', path, {});
  }

  /** @param {string} path @returns {Promise<any>} */
  delete(path) {
    return this.#request('DELETE', path, {});
  }

  /**
   * Sends a payload with files, as Discord takes them: `payload_json` and `files[n]`, listed in `attachments`.
   * @param {string} path
   * @param {Record<string, any>} payload
   * @param {File[]} files
   * @returns {Promise<any>}
   */
  postFiles(path, payload, files) {
    const form = new FormData();
    const attachments = files.map((file, id) => ({ id: String(id), filename: file.name }));
    form.append('payload_json', JSON.stringify({ ...payload, attachments }));
    files.forEach((file, index) => form.append(`files[${index}]`, file, file.name));
    return this.#request('POST', path, { form });
  }

  /** @param {string} method @param {string} path @param {{query?: any, json?: any, form?: FormData}} what */
  async #request(method, path, { query, json, form }) {
    /** @type {Record<string, string>} */
    const headers = { Authorization: this.#token };
    if (json !== undefined) headers['Content-Type'] = 'application/json';
    const body = form ?? (json === undefined ? undefined : JSON.stringify(json));
    const url = BASE + path + (query ? `?${new URLSearchParams(query)}` : '');
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(url, { method, headers, body });
      if (!(outcome instanceof DiscordError)) return outcome.value;
      const wait = waitBeforeRetry(outcome, method, attempt);
      if (wait === null) throw outcome;
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }
}

/** @returns {Promise<{value: any} | DiscordError>} */
async function once(url, init) {
  let response;
  try {
    response = await fetch(url, init);
  } catch {
    return new DiscordError('The simulated Discord does not answer. Is it still running?', { status: 0 });
  }
  if (response.status === 204) return { value: null };
  const text = await response.text();
  const value = parseJson(text);
  if (response.ok) return { value };
  const error = new DiscordError(sentence(value, response), { status: response.status, code: value?.code });
  return Object.assign(error, { retryAfter: Number(value?.retry_after ?? response.headers.get('Retry-After') ?? 1) });
}

/** @returns {number | null} seconds, or null for "give up" */
function waitBeforeRetry(error, method, attempt) {
  if (error.status === 429) {
    return attempt < RATE_LIMIT_ATTEMPTS && error.retryAfter <= RATE_LIMIT_MAX_WAIT_S ? error.retryAfter : null;
  }
  const transient = error.status === 0 || error.status >= 500;
  return transient && method === 'GET' && attempt < READ_ATTEMPTS ? 0.4 * attempt : null;
}

function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null; // a proxy's HTML page, say: the status tells enough
  }
}

/** Discord's message, followed by what it says of each field. */
function sentence(body, response) {
  if (!body?.message) return `The simulated Discord answered ${response.status} ${response.statusText}.`;
  const details = [...fieldErrors(body.errors)];
  if (!details.length) return `${body.message}${body.code ? ` (${body.code})` : ''}`;
  return `${body.message}: ${details.join(' ')}`;
}

function* fieldErrors(node, path = []) {
  if (!node || typeof node !== 'object') return;
  for (const error of node._errors ?? []) yield `${path.join('.')}${path.length ? ': ' : ''}${error.message}`;
  for (const [key, value] of Object.entries(node)) if (key !== '_errors') yield* fieldErrors(value, [...path, key]);
}

/** @param {string} path @returns {Promise<any>} the simulator's own facts; raises DiscordError */
async function simulator(path) {
  const outcome = await once(path, {});
  if (outcome instanceof DiscordError) throw outcome;
  return outcome.value;
}

/** @returns {Promise<{id: string, name: string, username: string, colour: string, token: string}[]>} whom one can speak as */
export const simulatedMembers = async () => (await simulator('/sim/members')).members;

/** @returns {Promise<{temporal_ui_url: string | null, namespace: string, bot: {id: string, name: string}}>} */
export const simulatorInfo = () => simulator('/sim/info');

/** @returns {string} unique among this page's messages; at most 25 characters, as Discord wants */
export function nonce() {
  return `${Date.now()}${Math.floor(Math.random() * 1e10)}`;
}
