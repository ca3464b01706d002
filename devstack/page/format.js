/** @file Ids, times, sizes and names as people read them. Pure. */

const DISCORD_EPOCH_MS = 1420070400000n;
const DAY_MS = 86_400_000;

/**
 * Orders snowflakes by time: negative when `a` is older. Lengths first, since they are decimal strings.
 * @param {string} a
 * @param {string} b
 */
export function compareIds(a, b) {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** @param {string} id @returns {Date} when the snowflake was made */
export function timeOfId(id) {
  return new Date(Number((BigInt(id) >> 22n) + DISCORD_EPOCH_MS));
}

/** @param {Date} time @returns {string} as `14:05` or `2:05 PM`, after the reader's locale */
export function clock(time) {
  return time.toLocaleTimeString(undefined, { hour: 'numeric', minute: '2-digit' });
}

/** @param {Date} time @returns {string} the time without AM or PM, where there is little room */
export function shortClock(time) {
  const parts = new Intl.DateTimeFormat(undefined, { hour: 'numeric', minute: '2-digit' }).formatToParts(time);
  return parts
    .filter((part) => part.type !== 'dayPeriod')
    .map((part) => part.value)
    .join('')
    .trim();
}

/** @param {Date} time @returns {string} day and time, complete, for titles */
export function fullTime(time) {
  return time.toLocaleString(undefined, { dateStyle: 'full', timeStyle: 'short' });
}

/** @param {Date} time @returns {string} a key that is equal for times on one day of the reader */
export function dayKey(time) {
  return `${time.getFullYear()}-${time.getMonth()}-${time.getDate()}`;
}

/** @param {Date} time @param {Date} [now] @returns {string} `Today`, `Yesterday`, or the date */
export function dayLabel(time, now = new Date()) {
  if (dayKey(time) === dayKey(now)) return 'Today';
  if (dayKey(time) === dayKey(new Date(now.getTime() - DAY_MS))) return 'Yesterday';
  return time.toLocaleDateString(undefined, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
}

/** @param {Date} time @returns {string} the time, with its day where that is not today */
export function stamp(time) {
  const label = dayLabel(time);
  if (label === 'Today') return clock(time);
  if (label === 'Yesterday') return `Yesterday, ${clock(time)}`;
  return `${time.toLocaleDateString(undefined, { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock(time)}`;
}

const UNITS = /** @type {[Intl.RelativeTimeFormatUnit, number][]} */ ([
  ['year', 365 * DAY_MS],
  ['month', 30 * DAY_MS],
  ['day', DAY_MS],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]);

/** @param {Date} time @param {Date} [now] @returns {string} as `in 3 hours`, `2 days ago` */
export function relativeTime(time, now = new Date()) {
  const difference = time.getTime() - now.getTime();
  const [unit, size] = UNITS.find(([, length]) => Math.abs(difference) >= length) ?? ['second', 1000];
  return new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' }).format(Math.round(difference / size), unit);
}

/**
 * A time as Discord's `<t:unix:style>` shows it.
 * @param {Date} time
 * @param {string} style one of t T d D f F R
 */
export function styledTime(time, style) {
  switch (style) {
    case 't':
      return clock(time);
    case 'T':
      return time.toLocaleTimeString();
    case 'd':
      return time.toLocaleDateString();
    case 'D':
      return time.toLocaleDateString(undefined, { dateStyle: 'long' });
    case 'F':
      return fullTime(time);
    case 'R':
      return relativeTime(time);
    default:
      return time.toLocaleString(undefined, { dateStyle: 'long', timeStyle: 'short' });
  }
}

/** @param {number} bytes @returns {string} as `0 B`, `12.3 KB`, `4 MB` */
export function fileSize(bytes) {
  const units = ['B', 'KB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${units[unit]}`;
}

/** @param {string} name @returns {string} one or two letters for an avatar */
export function initials(name) {
  const words = name
    .trim()
    .split(/[\s_.-]+/u)
    .filter(Boolean);
  const letters = words.length > 1 ? [words[0], words[words.length - 1]] : words;
  return (
    letters
      .map((word) => [...word][0] ?? '')
      .join('')
      .toLocaleUpperCase() || '?'
  );
}

const HUES = [158, 28, 205, 330, 262, 92, 12, 185, 48, 300];

/**
 * A person's colour: their own where they have one, else one that depends on the id only.
 * @param {string} id
 * @param {string | number | null | undefined} own `#rrggbb` or Discord's integer (0 = none)
 * @returns {string} a CSS colour
 */
export function personColor(id, own) {
  if (typeof own === 'string' && /^#[0-9a-f]{6}$/i.test(own)) return own;
  if (typeof own === 'number' && own > 0) return `#${own.toString(16).padStart(6, '0')}`;
  let sum = 0;
  for (const digit of id) sum = (sum * 31 + digit.charCodeAt(0)) % 9973;
  return `hsl(${HUES[sum % HUES.length]} 58% 52%)`;
}

/** @param {number} count @param {string} one @param {string} [many] @returns {string} as `1 reply`, `3 replies` */
export function plural(count, one, many = `${one}s`) {
  return `${count} ${count === 1 ? one : many}`;
}
