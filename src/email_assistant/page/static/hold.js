// Answers on their way: held before they go out, told aloud when they fail.
import { answers, card, follow, say, show, warn } from "./card.js";
import { $, $$, SILENT, able, after, clock, get, isSilent, leave, mark, nameOf, open, refresh } from "./list.js";

/** What was done in this tab, the last of it last: its answers' ids, or what takes it back. */
const acts = JSON.parse(sessionStorage.acts ?? "[]");
/** What the server last said of each answer, by its id. */
const told = new Map();
const isHeld = (id) => /held|working/.test(told.get(id)?.state), isUndone = ({ state }) => state === "undone", isSilence = ({ state }) => state === "no answer";
const isBad = ({ state }) => !/held|working|^done|undone/.test(state);

addEventListener("pagehide", () => { sessionStorage.acts = JSON.stringify(acts.filter((one) => one.ids?.length)); });

/** What the server says; when it says nothing, that in words. */
export async function ask(path, method = "POST", body = {}) {
	try {
		const answer = await get(path, { method, headers: { "content-type": "application/json" }, body: method === "GET" ? null : JSON.stringify(body) });
		const found = answer.status === 204 ? {} : await answer.json();
		return answer.ok ? found : { state: "failed", ...found };
	} catch { return { state: "no answer", why: `${SILENT} Your text is kept here.` }; }
}

/** Open what is next, but nothing that was answered elsewhere. */
async function on(at) {
	await show(at, true);
	if (!at || at !== open || !$("[data-gone]")) return;
	const next = after(at);
	leave(at);
	on(next);
}

/** Answer what is open, and go on; by a key only when it has stood for a moment. */
export function act(does, isTwice, isKey) {
	const at = open, list = answers(does, isTwice);
	if (!list.length || isSilent || (isKey && !card().dataset.stood) || acts.some((one) => one.at === at && one.ids?.length === 0)) return;
	give({ at, told: { ignore: "not wanted", seen: "seen", response: "told" }[list[0].type] ?? card().dataset.done }, list);
	mark(at, "held", "…");
	document.activeElement.blur();
	on(after(at));
}

/** Note what was done. */
export const did = (one) => acts.push(one);
const drop = (one) => acts.splice(acts.indexOf(one), 1);

export function give(one, list) {
	did(Object.assign(one, { who: nameOf(one.at), ids: [] }));
	one.coming = given(one, list);
	until = 0;
}

async function given(one, list) {
	const found = await ask("answers", "POST", list), all = Array.isArray(found) ? found : list.map(() => found);
	const bad = all.filter(isBad), taken = all.filter((each) => !isBad(each));
	for (const each of taken) note(each);
	one.ids = taken.map((each) => each.id);
	if (!taken.length) drop(one);
	if (bad.length) return refused(one, bad, list.length);
	mark(one.at);
	became(one);
}

function note(now) {
	told.set(now.id, now);
	follow(now);
}

/** What has come of it so far. */
function became(one) {
	const all = one.ids.map((id) => told.get(id) ?? { state: "done" }), bad = all.filter(isBad);
	for (const each of all) if (each.state === "done") leave(each.at, true);
	if (bad.length) return refused(one, bad, all.length);
	refresh().then(() => { tick(); if (!open) show(""); });
	if (one.ids.some(isHeld)) return tick();
	if (all.every(isUndone)) { drop(one); toast(`${one.who}: taken back`); }
	else toast(`${all.length > 1 ? `${all.length} mails ${one.told}` : all[0].past} ${clock()}`);
}

async function refused(one, bad, number) {
	const [{ state, why = "" }] = bad;
	if (state === "elsewhere" && number === 1) leave(one.at);
	else mark(one.at, "bad", state.replace("_", " "));
	toast(`${number > 1 ? `${bad.length} of ${number}` : one.who}: ${isSilence(bad[0]) ? "" : `not ${one.told}. `}${why}`, true);
	refresh().catch(() => {});
	if (state === "collides") warn(one.at, why);
	if (open !== one.at) return;
	await show(open);
	say(why);
}

/** What the server says of an answer. */
export function heard(now) {
	const { id, at, who } = now, was = told.get(id), one = acts.find((each) => each.ids?.includes(id));
	note(now);
	if (one && was && was.state !== now.state) became(one);
	// Given elsewhere, if not here just now.
	if (!one && isHeld(id) && acts.every((each) => each.ids?.length !== 0)) did({ at, who, told: now.told, ids: [id] });
}

/** Take back what was done last. */
export async function undo() {
	const one = acts.pop();
	if (!one) return;
	if (one.back) return one.back();
	await one.coming;
	const { who, ids = [] } = one, all = await Promise.all(ids.map((id) => ask(`answers/${id}`, "DELETE"))), [first = {}] = all;
	const number = all.filter(isUndone).length, was = first.became === "done" ? `${one.told} ${clock(first.done_at)}` : first.became?.replace(/held|working/, "at work") ?? one.told;
	if (all.some(isSilence)) {
		did(one);
		return toast(`${who}: not taken back. ${SILENT}`, true);
	}
	toast(ids.length > 1 ? `${number} of ${ids.length} taken back` : `${who}: ${number ? first.why ?? "taken back" : `${was}, cannot be taken back`}`, number < ids.length || !number);
	all.filter(isUndone).forEach(({ id }) => follow({ ...told.get(id), state: "undone" }));
	mark(one.at);
	await refresh();
	if (number && !first.why) show(one.at);
}

let until = 0;

/** Say it below the list: for as long as it can be taken back, or for some seconds. */
export function toast(words, isBad = false, due = 0) {
	const box = $("#toasts");
	if (!$(".toast", box)) box.append($("#toast").content.cloneNode(true));
	$(".toast", box).classList.toggle("bad", isBad);
	$(".told", box).textContent = words;
	$(".undo", box).hidden = !due;
	able();
	until = due ? 0 : Date.now() + (isBad ? 15000 : 4000);
}

/** Like "in 8 s"; "" when nobody says what becomes of it. */
function left(due) {
	const seconds = Math.ceil((Date.parse(due) - Date.now()) / 1000);
	return seconds > 0 ? `in ${seconds} s` : isSilent ? "" : "now";
}

export function tick() {
	for (const { dataset, children } of $$("[data-due]")) children[1].textContent = `${dataset.told} ${left(dataset.due) || "?"}`;
	const held = acts.filter((one) => one.ids?.some(isHeld)), last = held.at(-1);
	const { due, soon } = told.get(last?.ids.find(isHeld)) ?? {}, words = last?.ids[1] ? `${last.ids.length} mails ${last.told}` : soon;
	if (Date.now() > Date.parse(due) + 1500) check();
	if (Date.now() < until) return;
	if (!last) $("#toasts").replaceChildren();
	else if (!left(due)) toast(`${SILENT} Not known yet: ${words}.`, true);
	else toast(`${words} ${left(due)}${held[1] ? `; ${held.length - 1} more before it` : ""}`, false, due);
}
setInterval(tick, 1000);

let isChecking = false;
/** What becomes of answers that are held. */
export async function check() {
	if (isChecking) return;
	isChecking = true;
	const all = await ask("answers", "GET");
	if (Array.isArray(all)) all.reverse().forEach(heard);
	isChecking = false;
}
