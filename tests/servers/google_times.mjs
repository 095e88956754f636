// Times of the calendar: instants are milliseconds since 1970, days and times on the wall are text as in RFC 3339.
const formats = new Map();

function onTheWall(instant, zone) {
  if (!formats.has(zone)) {
    const parts = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit", second: "2-digit" };
    formats.set(zone, new Intl.DateTimeFormat("sv-SE", { timeZone: zone, hourCycle: "h23", ...parts }));
  }
  return formats.get(zone).format(instant).replace(" ", "T");
}

const offset = (instant, zone) => Date.parse(`${onTheWall(instant, zone)}Z`) - Math.floor(instant / 1000) * 1000;

// The instant at which the clocks of a zone show this time; NaN for what is no time.
export function instantOf(wall, zone) {
  const there = Date.parse(`${wall}Z`);
  if (Number.isNaN(there)) return NaN;
  const guess = there - offset(there, zone);
  return there - offset(guess, zone);
}

// The instant in RFC 3339, in that zone.
export function written(instant, zone) {
  const minutes = Math.round(offset(instant, zone) / 60_000);
  if (!minutes) return `${onTheWall(instant, zone)}Z`;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((n) => String(n).padStart(2, "0"));
  return `${onTheWall(instant, zone)}${minutes < 0 ? "-" : "+"}${hours}:${rest}`;
}

export function isZone(name) {
  try {
    onTheWall(0, name);
    return true;
  } catch {
    return false;
  }
}

// When an edge of an event ({date} or {dateTime, timeZone}) is, in a calendar of this zone; NaN when it does not say.
export function edge(when, zone) {
  if (when?.date) return /^\d{4}-\d\d-\d\d$/.test(when.date) ? instantOf(`${when.date}T00:00:00`, zone) : NaN;
  const text = when?.dateTime ?? "";
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.test(text)) return NaN;
  if (/(Z|[+-]\d\d:\d\d)$/.test(text)) return Date.parse(text);
  return when.timeZone && isZone(when.timeZone) ? instantOf(text, when.timeZone) : NaN;
}

// Days of the week as iCalendar names them, in the order of Date.getUTCDay().
const DAYS = ["SU", "MO", "TU", "WE", "TH", "FR", "SA"];
const DAY = 86_400_000;
const MOST = 1000;

// A rule "RRULE:FREQ=…" as an object; null for one that is not understood here (DAILY and WEEKLY are, with INTERVAL, COUNT, UNTIL, BYDAY).
export function readRule(recurrence) {
  if (recurrence.length !== 1 || !recurrence[0].startsWith("RRULE:")) return null;
  const rule = Object.fromEntries(recurrence[0].slice(6).split(";").map((each) => each.split("=")));
  const known = Object.keys(rule).every((name) => ["FREQ", "INTERVAL", "COUNT", "UNTIL", "BYDAY", "WKST"].includes(name));
  const days = (rule.BYDAY ?? "").split(",").filter(Boolean);
  if (!known || !["DAILY", "WEEKLY"].includes(rule.FREQ) || !days.every((day) => DAYS.includes(day))) return null;
  const until = rule.UNTIL?.replace(/^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)Z)?$/, (_, y, m, d, h = 23, i = 59, s = 59) => `${y}-${m}-${d}T${h}:${i}:${s}Z`);
  return { weekly: rule.FREQ === "WEEKLY", interval: Number(rule.INTERVAL ?? 1), count: Number(rule.COUNT ?? MOST), until: until ? Date.parse(until) : Infinity, days };
}

// The starts of a series up to an instant, as times on the wall: each occurrence shows the same time, also when the clocks change.
export function startsOf(rule, first, zone, last) {
  const start = Date.parse(`${onTheWall(first, zone)}Z`);
  const monday = (day) => Math.floor((day / DAY + 3) / 7);
  const found = [];
  for (let day = 0; found.length < Math.min(rule.count, MOST) && day < 40 * MOST; day += 1) {
    const there = start + day * DAY;
    const fits = rule.weekly ? (monday(there) - monday(start)) % rule.interval === 0 : day % rule.interval === 0;
    const onDay = rule.days.length ? rule.days.includes(DAYS[new Date(there).getUTCDay()]) : !rule.weekly || day % 7 === 0;
    if (!fits || !onDay) continue;
    const instant = instantOf(new Date(there).toISOString().slice(0, 19), zone);
    if (instant > rule.until || instant >= last) break;
    found.push(instant);
  }
  return found;
}
