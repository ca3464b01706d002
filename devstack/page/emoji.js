/** @file The small set of emoji that the picker and `:name:` completion offer. */

const TABLE = `
👍 thumbsup yes|👎 thumbsdown no|❤️ heart love|😂 joy laugh|🎉 tada party|🙏 pray thanks|👀 eyes look|✅ white_check_mark done ok
😄 smile happy|😊 blush|😉 wink|🤔 thinking hmm|😮 open_mouth wow|😢 cry sad|😭 sob|😡 rage angry
😎 sunglasses cool|🥳 partying_face|🤯 exploding_head|😴 sleeping|🙃 upside_down|😬 grimacing|🤷 shrug|🫡 saluting_face
👋 wave hello|👏 clap|🙌 raised_hands|💪 muscle strong|🤝 handshake|✌️ v peace|👌 ok_hand|🫶 heart_hands
🔥 fire hot|⭐ star|✨ sparkles|💯 100|🚀 rocket ship|⚡ zap|💡 bulb idea|🎯 dart target
❌ x wrong|❓ question|❗ exclamation|⚠️ warning|🐛 bug|🔧 wrench fix|📌 pushpin pin|📎 paperclip
☕ coffee|🍕 pizza|🍰 cake|🌱 seedling|🌈 rainbow|☀️ sunny|🌙 moon|🦫 beaver gopher`;

/** @type {{emoji: string, names: string[]}[]} in the order of the picker, eight a row */
export const EMOJI = TABLE.trim()
  .split(/[\n|]/)
  .map((entry) => entry.trim().split(' '))
  .map(([emoji, ...names]) => ({ emoji, names }));

/** @param {string} typed @returns {{emoji: string, names: string[]}[]} those with a name that has it, beginnings first */
export function findEmoji(typed) {
  const wanted = typed.toLowerCase();
  const rank = ({ names }) =>
    names.some((name) => name.startsWith(wanted)) ? 0 : names.some((name) => name.includes(wanted)) ? 1 : 2;
  return EMOJI.map((each) => ({ each, rank: rank(each) }))
    .filter((each) => each.rank < 2)
    .sort((a, b) => a.rank - b.rank)
    .map(({ each }) => each);
}

const ONLY_EMOJI =
  /^(?:\p{Extended_Pictographic}(?:\uFE0F|\u200D\p{Extended_Pictographic}|\p{Emoji_Modifier})*\s*){1,12}$/u;

/** @param {string} text @returns {boolean} true when a message is nothing but a few emoji, and may be large */
export const isOnlyEmoji = (text) => ONLY_EMOJI.test(text.trim());
