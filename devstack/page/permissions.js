/** @file What a member may do in a channel, by Discord's rules. Pure. The server decides; the page only hides what it would refuse. */

/** Permission bits by Discord's names. */
export const Permission = Object.freeze({
  ADMINISTRATOR: 1n << 3n,
  ADD_REACTIONS: 1n << 6n,
  VIEW_CHANNEL: 1n << 10n,
  SEND_MESSAGES: 1n << 11n,
  MANAGE_MESSAGES: 1n << 13n,
  ATTACH_FILES: 1n << 15n,
  READ_MESSAGE_HISTORY: 1n << 16n,
  MENTION_EVERYONE: 1n << 17n,
  USE_APPLICATION_COMMANDS: 1n << 31n,
  MANAGE_THREADS: 1n << 34n,
  CREATE_PUBLIC_THREADS: 1n << 35n,
  CREATE_PRIVATE_THREADS: 1n << 36n,
  SEND_MESSAGES_IN_THREADS: 1n << 38n,
});

const EVERYTHING = (1n << 53n) - 1n;
const TIMED_OUT = Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY;

/**
 * The member's permissions in a guild channel: base roles, then overwrites of @everyone, of roles, of the member.
 * @param {{id: string, owner_id: string, roles: Map<string, any>}} guild
 * @param {{roles: string[], communication_disabled_until?: string | null} | undefined} member undefined: not known, treated as @everyone
 * @param {string} userId
 * @param {any} channel the channel, or a thread's parent
 * @returns {bigint}
 */
export function permissionsIn(guild, member, userId, channel) {
  if (guild.owner_id === userId) return EVERYTHING;
  const roleIds = new Set(member?.roles ?? []);
  let granted = BigInt(guild.roles.get(guild.id)?.permissions ?? 0);
  for (const id of roleIds) granted |= BigInt(guild.roles.get(id)?.permissions ?? 0);
  if (granted & Permission.ADMINISTRATOR) return EVERYTHING;
  const overwrites = channel.permission_overwrites ?? [];
  granted = applied(
    granted,
    overwrites.filter((overwrite) => overwrite.id === guild.id),
  );
  granted = applied(
    granted,
    overwrites.filter((overwrite) => Number(overwrite.type) === 0 && roleIds.has(overwrite.id)),
  );
  granted = applied(
    granted,
    overwrites.filter((overwrite) => Number(overwrite.type) === 1 && overwrite.id === userId),
  );
  if (!(granted & Permission.VIEW_CHANNEL)) return 0n;
  return timeoutOf(member) ? granted & TIMED_OUT : granted;
}

/** @param {any} member @returns {Date | null} when the timeout of a member ends; null without one */
export function timeoutOf(member) {
  const until = member?.communication_disabled_until ? new Date(member.communication_disabled_until) : null;
  return until && until.getTime() > Date.now() ? until : null;
}

/** Denies of one level first, then its allows. */
function applied(granted, overwrites) {
  let deny = 0n;
  let allow = 0n;
  for (const overwrite of overwrites) {
    deny |= BigInt(overwrite.deny);
    allow |= BigInt(overwrite.allow);
  }
  return (granted & ~deny) | allow;
}
