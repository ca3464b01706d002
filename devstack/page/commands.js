/** @file Slash commands: finding them, checking what was filled in, and the payload of their invocation. Pure. */

import { ChannelType } from './world.js';

/** Discord's option types. */
export const OptionType = Object.freeze({
  SUBCOMMAND: 1,
  GROUP: 2,
  STRING: 3,
  INTEGER: 4,
  BOOLEAN: 5,
  USER: 6,
  CHANNEL: 7,
  ROLE: 8,
  MENTIONABLE: 9,
  NUMBER: 10,
  ATTACHMENT: 11,
});

const TYPE_NAMES = [
  '',
  '',
  '',
  'text',
  'whole number',
  'yes or no',
  'member',
  'channel',
  'role',
  'member or role',
  'number',
  'file',
];
const STRING_LIMIT = 6000; // Discord's own

/** @param {any} option @returns {string} what may be filled in, for people */
export const typeName = (option) => (option.choices?.length ? 'choice' : (TYPE_NAMES[option.type] ?? 'value'));

/**
 * Something that can be invoked: a command, or one subcommand of it.
 * @typedef {{name: string, description: string, options: any[], path: string[], command: any}} Invocable
 */

/**
 * Spreads commands out to what can be invoked: `/memory status` and `/memory search` instead of `/memory`.
 * @param {any[]} commands as Discord lists them; only slash commands (type 1) count
 * @returns {Invocable[]} by name
 */
export function invocables(commands) {
  const slash = commands.filter((command) => (command.type ?? 1) === 1);
  return slash.flatMap((command) => spread(command, command, [])).sort((a, b) => a.name.localeCompare(b.name));
}

function spread(command, node, path) {
  const options = node.options ?? [];
  const inner = options.filter((option) => option.type === OptionType.SUBCOMMAND || option.type === OptionType.GROUP);
  if (inner.length) return inner.flatMap((option) => spread(command, option, [...path, option.name]));
  const ordered = [...options].sort((a, b) => Number(Boolean(b.required)) - Number(Boolean(a.required)));
  return [
    { name: [command.name, ...path].join(' '), description: node.description ?? '', options: ordered, path, command },
  ];
}

/**
 * Those whose name has the typed words, best first: names that begin so, then names that contain it.
 * @param {Invocable[]} all
 * @param {string} typed without the slash
 */
export function matching(all, typed) {
  const wanted = typed.toLowerCase();
  const rank = ({ name }) =>
    name.startsWith(wanted)
      ? 0
      : name.split(' ').some((word) => word.startsWith(wanted))
        ? 1
        : name.includes(wanted)
          ? 2
          : 3;
  return all
    .map((each) => ({ each, rank: rank(each) }))
    .filter(({ rank: value }) => value < 3)
    .sort((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
}

/**
 * Finds the command that a line begins with, when it is complete: `/ask why is…` gives `ask` and `why is…`.
 * @param {Invocable[]} all
 * @param {string} line
 * @returns {{invocable: Invocable, rest: string} | null}
 */
export function typedCommand(all, line) {
  const fits = all.filter(({ name }) => line.startsWith(`/${name} `)).sort((a, b) => b.name.length - a.name.length);
  return fits.length ? { invocable: fits[0], rest: line.slice(fits[0].name.length + 2) } : null;
}

/**
 * Checks one option's value as typed or picked.
 * @param {any} option
 * @param {any} value undefined or '' when nothing was filled in; a File for attachments
 * @returns {string | null} what is wrong, in one sentence
 */
export function problemWith(option, value) {
  if (value === undefined || value === null || value === '') return option.required ? 'This option is required.' : null;
  if (option.choices?.length) {
    return option.choices.some((choice) => String(choice.value) === String(value)) ? null : 'Pick one of the choices.';
  }
  if (option.type === OptionType.INTEGER || option.type === OptionType.NUMBER) return numberProblem(option, value);
  if (option.type === OptionType.STRING) return lengthProblem(option, String(value));
  return null;
}

function numberProblem(option, value) {
  const number = Number(value);
  if (!Number.isFinite(number) || String(value).trim() === '') return 'Enter a number.';
  if (option.type === OptionType.INTEGER && !Number.isSafeInteger(number)) return 'Enter a whole number.';
  if (option.min_value !== undefined && option.min_value !== null && number < option.min_value)
    return `At least ${option.min_value}.`;
  if (option.max_value !== undefined && option.max_value !== null && number > option.max_value)
    return `At most ${option.max_value}.`;
  return null;
}

function lengthProblem(option, text) {
  if (option.min_length && text.length < option.min_length) return `At least ${option.min_length} characters.`;
  const limit = option.max_length ?? STRING_LIMIT;
  return text.length > limit ? `At most ${limit} characters (${text.length} now).` : null;
}

/**
 * The `data` of the interaction.
 * @param {Invocable} invocable
 * @param {Map<string, any>} values by option name, already checked
 * @returns {{data: any, files: File[]}}
 */
export function invocation(invocable, values) {
  const files = [];
  /** @type {any[]} */ const leaf = [];
  for (const option of invocable.options) {
    const value = values.get(option.name);
    if (value === undefined || value === null || value === '') continue;
    leaf.push({ type: option.type, name: option.name, value: wireValue(option, value, files) });
  }
  const { command, path } = invocable;
  const options = [...path]
    .reverse()
    .reduce(
      (inner, name, depth) => [{ type: depth === 0 ? OptionType.SUBCOMMAND : OptionType.GROUP, name, options: inner }],
      leaf,
    );
  /** @type {any} */
  const data = { id: command.id, name: command.name, type: 1, version: command.version, options };
  if (command.guild_id) data.guild_id = command.guild_id;
  if (files.length) data.attachments = files.map((file, id) => ({ id: String(id), filename: file.name }));
  return { data, files };
}

function wireValue(option, value, files) {
  switch (option.type) {
    case OptionType.INTEGER:
    case OptionType.NUMBER:
      return Number(value);
    case OptionType.BOOLEAN:
      return value === true || value === 'true';
    case OptionType.ATTACHMENT:
      files.push(value);
      return String(files.length - 1);
    default:
      return String(value);
  }
}

/**
 * What a picker offers for an option; empty where people type.
 * @param {any} option
 * @param {import('./world.js').World} world
 * @param {any} channel
 * @returns {{value: string, label: string, detail?: string, person?: any, sign?: string}[]}
 */
export function candidates(option, world, channel) {
  if (option.choices?.length)
    return option.choices.map((choice) => ({
      value: String(choice.value),
      label: choice.name_localized ?? choice.name,
    }));
  const people = () =>
    world.peopleIn(channel).map((person) => ({
      value: person.id,
      label: person.name,
      detail: world.users.get(person.id)?.username,
      person,
    }));
  const roles = () =>
    [...(world.guilds.get(channel.guild_id)?.roles.values() ?? [])]
      .filter((role) => role.id !== channel.guild_id)
      .map((role) => ({ value: role.id, label: role.name, sign: '@' }));
  switch (option.type) {
    case OptionType.BOOLEAN:
      return [
        { value: 'true', label: 'True' },
        { value: 'false', label: 'False' },
      ];
    case OptionType.USER:
      return people();
    case OptionType.ROLE:
      return roles();
    case OptionType.MENTIONABLE:
      return [...people(), ...roles()];
    case OptionType.CHANNEL:
      return channels(option, world, channel);
    default:
      return [];
  }
}

function channels(option, world, channel) {
  const all = world.channelsOf(channel.guild_id).flatMap((each) => [each, ...world.threadsOf(each.id)]);
  const allowed = (each) => !option.channel_types?.length || option.channel_types.includes(each.type);
  return all
    .filter((each) => each.type !== ChannelType.CATEGORY && allowed(each))
    .map((each) => ({ value: each.id, label: each.name, sign: '#' }));
}
