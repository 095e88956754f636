// Answers on their way: given at once, held before they leave, brought back aloud when they fail.
import { answers, card, group, isGone, keep, lookAhead, say, show } from "./card.js";
import { $, after, get, mark, now, open, plural, refresh, rowOf, settle } from "./list.js";

/** What was given, newest last; its state is working, held, done or over. */
const given = [];
const BAD = { gap: "has a gap", changed: "has changed", collides: "asked again", not_taken: "asked again", elsewhere: "answered elsewhere", dropped: "not done", failed: "failed" };

/** What the server says; when it says nothing, that in words. */
export async function ask(path, method = "POST", body = {}) {
	try {
		const answer = await get(path, { method, headers: { "content-type": "application/json" }, ...(method === "GET" ? {} : { body: JSON.stringify(body) }) });
		const told = answer.status === 204 ? {} : await answer.json();
		return answer.ok ? told : { state: "failed", ...told };
	} catch { return { state: "failed", why: "The server does not answer. Your text is kept here." }; }
}

/** Open what is next; what was answered elsewhere meanwhile is passed over. */
async function on(at) {
	await show(at);
	if (!at || at !== open) return;
	const next = after(at);
	if (!isGone()) return lookAhead(next);
	settle(at, BAD.elsewhere, 1);
	on(next);
}

/** Give the answer to what is open, and go on to the next. */
export async function act(does, isTwice = false) {
	const at = open, list = answers(does, isTwice), row = rowOf(at);
	if (!list.length || given.some((one) => one.at === at && one.state === "working")) return;
	const one = { at, who: row ? $("b", row).textContent : "", told: { ignore: "put aside", response: "answered" }[list[0].type] ?? card().dataset.done, number: group() ? list.length : 1, digest: list[0].digest, state: "working" };
	given.push(one);
	mark(at, "held", "…");
	document.activeElement.blur();
	on(after(at));
	const results = [];
	for (let i = 0; i < list.length; i += 100) {
		const part = list.slice(i, i + 100), found = await ask("answers", "POST", part);
		results.push(...(Array.isArray(found) ? found : part.map(() => found)));
	}
	came(one, results, list);
}

function came(one, results, list = [one]) {
	const bad = results.filter((each) => BAD[each.state]), held = results.find((each) => each.state === "held" || each.state === "working");
	results.forEach((each, i) => each.card && keep(list[i]?.digest, each.card.digest));
	if (bad.length) return refused(one, bad, results.length);
	one.id = results[0].id;
	if (!held) return over(one);
	Object.assign(one, { state: "held", id: held.id, due: Date.parse(held.due) });
	tick();
}

async function refused(one, bad, number) {
	const [{ state, why = "" }] = bad;
	const words = number > 1 ? `${plural(bad.length, "answer")} of ${number} not taken: ${why}` : `${one.who}: not ${one.told}. ${why}`;
	one.state = "over";
	if (state === "elsewhere" && number === 1) settle(one.at, BAD.elsewhere, 1);
	else mark(one.at, "bad", BAD[state]);
	toast(words, "", one, true);
	refresh();
	if (open !== one.at) return;
	await show(open);
	say(words);
}

function over(one) {
	const words = `${one.number > 1 ? `${one.number} ` : ""}${one.told}`;
	one.state = "done";
	settle(one.at, words, one.number, one.id);
	toast(`${one.who}: ${words} ${now()}`, "", one);
	refresh().then(() => open || show(""));
}

/** What the server says of an answer that is held. */
export function heard(told) {
	const one = given.find((each) => each.id === told.id);
	if (one?.state !== "held" || told.state === "held" || told.state === "working") return;
	if (told.state === "undone") back(one);
	else came(one, [told]);
}

function back(one) {
	one.state = "over";
	mark(one.at);
	refresh().then(() => show(one.at));
	toast(`${one.who}: taken back`, "", one);
}

/** Take back the newest answer that can be. */
export async function undo() {
	const one = given.findLast((each) => each.state === "held") ?? given.findLast((each) => each.state === "done");
	if (!one) return;
	const told = one.id ? await ask(`answers/${one.id}`, "DELETE") : {};
	if (told.state === "undone") return back(one);
	toast(`${one.who}: ${one.told}, cannot be taken back`, "", one, true);
}

let until = Infinity;

/** Say it below the list: for as long as it can be taken back, or for some seconds. */
function toast(words, more, one, isBad = false) {
	const box = $("#toasts"), isHeld = one.state === "held";
	if (!$(".toast", box)) box.append($("#toast").content.cloneNode(true));
	$(".toast", box).classList.toggle("bad", isBad);
	$(".told", box).textContent = words;
	$(".more", box).textContent = more;
	$(".ring", box).textContent = Math.max(0, Math.ceil((one.due - Date.now()) / 1000));
	$(".ring", box).hidden = $(".undo", box).hidden = !isHeld;
	until = isHeld ? Infinity : Date.now() + (isBad ? 15000 : 5000);
}

function tick() {
	const held = given.filter((each) => each.state === "held"), last = held.at(-1);
	const left = (one) => { const s = Math.ceil((one.due - Date.now()) / 1000); return s > 0 ? `in ${s} s` : "now"; };
	for (const one of held) mark(one.at, "held", `goes out ${left(one)}`);
	if (held.some((one) => Date.now() > one.due + 1500)) check();
	if (last) toast(`${last.who}: ${last.told} ${left(last)}`, held.length > 1 ? `${held.length - 1} more before it` : "", last);
	else if (Date.now() > until) $("#toasts").replaceChildren();
}
setInterval(tick, 1000);

let isChecking = false;
/** What becomes of answers that are held. */
export async function check() {
	if (isChecking) return;
	isChecking = true;
	const all = await ask("answers", "GET");
	for (const told of Array.isArray(all) ? all : []) {
		const isNew = told.state === "held" && !given.some((one) => one.id === told.id || one.state === "working");
		if (isNew) given.push({ at: told.at, who: told.who, told: told.told, number: 1, state: "held", id: told.id, due: Date.parse(told.due) });
		heard(told);
	}
	isChecking = false;
}

