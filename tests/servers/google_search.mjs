// Gmail's search syntax. The emulator finds the messages of a single term; ours is what joins terms: "-", OR, {}, (), and what the
// emulator does not find: cc:, bcc:, rfc822msgid: and quoted values. An operator that nobody knows is refused (Gmail would take it for
// text), so that no test leans on an operator that is passed over in silence.
const THEIRS = new Set(["in", "is", "label", "from", "to", "subject", "before", "after", "has"]);
const FIELDS = new Map(["from", "to", "cc", "bcc", "subject"].map((name) => [name, name]));
const OURS = new Map([...FIELDS, ["rfc822msgid", "message_id"]]);
const DEEPEST = 50;
const JOINS = new Set(["{", "}", "(", ")", "OR", "AND", '"']);
const ELSEWHERE = /\bin:(spam|trash|anywhere)\b/i;
const TOKEN = /\s*(-?(?=[{("\p{L}\p{N}])|)([{}()]|(?:[A-Za-z_]\w*:)?(?:"[^"]*"|[^\s{}()"]+)|")/guy;

// Whether the emulator can do it by itself.
export function isPlain(q) {
  return tokens(q).every(({ not, text }) => !not && !JOINS.has(text) && !needsUs(text)) && !ELSEWHERE.test(q);
}

// Ids of what is found ({ids, everywhere}), or the {problem}.
export async function search(world, email, q) {
  const list = tokens(q);
  const unknown = list.find(({ text }) => operator(text) && !THEIRS.has(operator(text)) && !OURS.has(operator(text)));
  if (unknown) return { problem: `the stand-in does not know the search operator ${operator(unknown.text)}:` };
  if (list.filter(({ text }) => text === "(" || text === "{").length > DEEPEST) return { problem: "the search has too many brackets" };
  const all = new Set(world.store.messages.findBy("user_email", email).map((row) => row.gmail_id));
  return { ids: await together({ world, email, all, list, at: 0 }), everywhere: ELSEWHERE.test(q) };
}

function tokens(q) {
  return [...q.matchAll(TOKEN)].map(([, minus, text]) => ({ not: minus === "-", text }));
}

const operator = (text) => /^([A-Za-z_]\w*):/.exec(text)?.[1].toLowerCase();
const needsUs = (text) => {
  const name = operator(text);
  return name !== undefined && (!THEIRS.has(name) || (FIELDS.has(name) && text.includes('"')));
};

// Terms up to the closing bracket: all of them, or any of them within {}.
async function together(at, close = "", any = false) {
  let found = any ? new Set() : at.all;
  while (at.at < at.list.length) {
    if (at.list[at.at].text === close) {
      at.at += 1;
      break;
    }
    const one = await either(at);
    found = any ? new Set([...found, ...one]) : both(found, one);
  }
  return found;
}

async function either(at) {
  let found = await term(at);
  while (at.list[at.at]?.text === "OR") {
    at.at += 1;
    if (at.at < at.list.length) found = new Set([...found, ...(await term(at))]);
  }
  return found;
}

async function term(at) {
  const { not, text } = at.list[at.at++];
  const found = await idsOf(at, text);
  return not ? new Set([...at.all].filter((id) => !found.has(id))) : found;
}

async function idsOf(at, text) {
  if (text === "(" || text === "{") return together(at, text === "(" ? ")" : "}", text === "{");
  if (JOINS.has(text) || text.toLowerCase() === "in:anywhere") return at.all;
  if (needsUs(text)) return withValue(at, operator(text), text.slice(text.indexOf(":") + 1).replaceAll('"', "").toLowerCase());
  const target = `/gmail/v1/users/me/messages?includeSpamTrash=true&q=${encodeURIComponent(text)}`;
  return new Set((await at.world.all(at.email, target, "messages")).map(({ id }) => id));
}

function withValue({ world, email }, name, value) {
  const rows = world.store.messages.findBy("user_email", email);
  const fits = (held) => (name === "rfc822msgid" ? held.replace(/^<|>$/g, "") === value.replace(/^<|>$/g, "") : held.includes(value));
  return new Set(rows.filter((row) => fits((row[OURS.get(name)] ?? "").toLowerCase())).map((row) => row.gmail_id));
}

const both = (one, other) => new Set([...one].filter((each) => other.has(each)));
