// Answers on their way: held in this page, then given; told aloud when they fail.
import { answers, card, follow, say, show, warn } from "./card.js";
import { $, SILENT, able, after, clock, get, isSilent, leave, mark, nameOf, open, refresh } from "./list.js";

/** Done in this tab: answers, or what takes it back. */
const acts = [];
/** Answers of a request; milliseconds that none may be overdue. */
const MOST = 50, LATE = 60000;
const isSilence = ({ state }) => state === "no answer", isBad = ({ state }) => !/held|working|^done|undone/.test(state);
const isHeld = (one) => one.due > 0, isOpen = (one) => one.list && !one.ended;
const posted = (data) => ({ method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(data) });

/** Notes, never a clock. */
const save = () => { sessionStorage.acts = JSON.stringify(acts.filter(isOpen).map(({ at, who, told, list }) => ({ at, who, told, list }))); };

/** What the server says; when it says nothing, that in words. */
export async function ask(path, method = "POST", data = {}) {
	try {
		const answer = await get(path, method === "POST" ? posted(data) : { method }), found = answer.status === 204 ? {} : await answer.json();
		return answer.ok ? found : { state: answer.status === 404 ? "unknown" : "failed", ...found };
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
	if (!list.length || isSilent || (isKey && !card().dataset.stood) || acts.some((one) => one.at === at && isOpen(one))) return;
	give({ at, told: { ignore: "not wanted", seen: "seen", response: "told" }[list[0].type] ?? card().dataset.done }, list);
	document.activeElement.blur();
	on(after(at));
}

export const did = (one) => { acts.push(one); save(); };

/** Hold the answers of one act. */
export async function give(one, list) {
	const { at } = one, pressed = Date.now();
	did(Object.assign(one, { who: nameOf(at), list: list.map((each) => ({ id: crypto.randomUUID(), ...each })) }));
	mark(at, "held", "…");
	follow({ at, state: "held" });
	until = 0;
	const all = await send("answers/check", one), bad = all.filter(isBad), good = all.filter((each) => !isBad(each));
	if (one.ended) return;
	one.list = one.list.filter((_, i) => !isBad(all[i]));
	Object.assign(one, good[0], { at, due: pressed + 1000 * (good[0]?.hold ?? 0) });
	if (!good[0]) end(one, bad[0].state);
	if (bad[0]) await refused(one, bad, list.length);
	if (one.ended) return;
	tick();
	setTimeout(pass, one.due - Date.now());
}

/** In parts, one after another. */
async function send(path, { list }) {
	const all = [];
	for (let i = 0; i < list.length; i += MOST) {
		const some = list.slice(i, i + MOST), found = await ask(path, "POST", some);
		all.push(...(Array.isArray(found) ? found : some.map(() => found)));
	}
	return all;
}

/** Give what is due, unless it is long due. */
function pass() {
	for (const one of acts.filter(isHeld)) {
		if (Date.now() > one.due + LATE) kept(one);
		else if (Date.now() >= one.due) pour(one);
	}
}

async function pour(one) {
	one.due = 0;
	mark(one.at, "held", "…");
	became(one, await send("answers", one));
}

/** What has come of it; unanswered, the same is given again. */
async function became(one, all) {
	const bad = all.filter((each) => isBad(each) && !isSilence(each));
	if (all.some(isSilence)) toast(`${SILENT} Not known yet: ${one.soon ?? one.who}.`, true);
	if (all.some(({ state }) => /no answer|working/.test(state))) return setTimeout(pour, 2000, one);
	end(one, bad[0]?.state ?? "done");
	one.done = all.filter((each) => !isBad(each));
	if (bad[0]) await refused(one, bad, all.length);
	else toast(`${all[1] ? `${all.length} mails ${one.told}` : all[0].past} ${clock()}`);
	if (one.done[0]) leave(one.at, !bad[0]);
	await refresh().catch(() => {});
	if (!open) show("");
}

function end(one, state) {
	Object.assign(one, { ended: true, due: 0 });
	follow({ at: one.at, state });
	save();
}

/** It was not given. */
function kept(one) {
	end(one, "kept");
	mark(one.at, "bad", "not given");
	toast(`${one.who}: not ${one.told ?? "given"}, this page was away. Decide again.`, true);
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

export async function undo() {
	const one = acts.findLast((each) => each.back || !each.ended || each.done);
	if (!one) return;
	const { at, who, list, done } = one, all = [];
	if (one.due === 0 && !one.ended) return toast(`${who}: at work, cannot be taken back`, true);
	acts.splice(acts.indexOf(one), 1);
	if (one.back) return one.back();
	for (const { thread, id } of done ?? []) all.push(await ask(`answers/${thread}/${id}`, "DELETE"));
	if (all.some(isSilence)) { acts.push(one); return toast(`${who}: not taken back. ${SILENT}`, true); }
	if (!done) end(one, "undone");
	const [first = {}] = all, number = done ? all.filter(({ state }) => state === "undone").length : list.length;
	const words = number ? first.why || "taken back" : `${one.told} ${first.done_at}, cannot be taken back`;
	toast(list[1] ? `${number} of ${list.length} taken back` : `${who}: ${words}`, number < list.length);
	mark(at);
	await refresh().catch(() => {});
	if (!done) show(at);
}

let until = 0;

/** Say it below the list. */
export function toast(words, isBad = false, due = 0) {
	const box = $("#toasts");
	if (!$(".toast", box)) box.append($("#toast").content.cloneNode(true));
	$(".toast", box).classList.toggle("bad", isBad);
	$(".told", box).textContent = words;
	$(".undo", box).hidden = !due;
	able();
	until = due ? 0 : Date.now() + (isBad ? 15000 : 4000);
}

export function tick() {
	pass();
	const held = acts.filter(isHeld), last = held.at(-1), left = ({ due }) => `in ${Math.max(0, Math.ceil((due - Date.now()) / 1000))} s`;
	for (const one of held) mark(one.at, "held", left(one));
	if (Date.now() < until) return;
	if (!last) $("#toasts").replaceChildren();
	else toast(`${last.list[1] ? `${last.list.length} mails ${last.told}` : last.soon} ${left(last)}${held[1] ? `; ${held.length - 1} more before it` : ""}`, false, last.due);
}
setInterval(tick, 1000);

/** Held answers are given when the page goes. */
addEventListener("pagehide", () => {
	const key = localStorage.getItem("review-key"), some = [];
	for (const each of acts.filter((one) => isOpen(one) && one.due !== 0).flatMap(({ list }) => list)) if (some.length < MOST && JSON.stringify([...some, each]).length < 60000) some.push(each);
	const { headers, ...rest } = posted(some);
	if (some[0]) fetch("/review/answers", { ...rest, keepalive: true, headers: { ...headers, ...(key && { "review-key": key }) } });
});

/** What an earlier page has noted is asked after, never given. */
async function noted(one, tries = 3) {
	await new Promise((go) => setTimeout(go, 1500));
	const all = await Promise.all(one.list.map(async ({ thread, id }) => ({ thread, ...await ask(`answers/${thread}/${id}`, "GET") })));
	if (all.every(({ state }) => !/unknown|working|no answer/.test(state))) became(one, all);
	else if (tries > 1) noted(one, tries - 1);
	else kept(one);
}
for (const one of JSON.parse(sessionStorage.acts ?? "[]")) { did(Object.assign(one, { due: 0 })); noted(one); }
