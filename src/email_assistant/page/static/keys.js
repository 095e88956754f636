// What keys and buttons do; their words are in overview.py.
import { asks, bar, begin, card, choose, edit, focus, group, line, move, named, relabel, restore, show, take, toEnd, toGap, yours } from "./card.js";
import { act, ask, did, give, toast, undo } from "./hold.js";
import { $, $$, SILENT, after, filter, get, make, mark, nameOf, open, placeNow, placeOf, putOff, refresh, rows, setOpen } from "./list.js";
import "./events.js";

let isGoing = false;

let armed = "";
/** No one key answers what is grave. */
const key = (does, isTwice) => {
	const at = `${does} ${open}`, isFirst = armed !== at;
	if (!isTwice && isFirst && $("article[data-grave]") && /accept|ignore|seen/.test(does)) { armed = at; return toast("Look first; the same key once more answers it."); }
	return act(does, isTwice, true);
};
const go = (step) => { const at = after(open, open ? step : 1); if (at) show(at); };
const enter = () => {
	if (bar) key("accept", true);
	else if (group()) show(line().dataset.at);
	else if (!open) go(1);
};
const section = (name) => { const row = rows().find((each) => placeOf(each) === name || each.closest("section").dataset.section === name); if (row) show(placeOf(row)); };

function later(which) {
	const at = new Date(), was = open;
	if (which === 1) at.setHours(Math.max(18, at.getHours() + 1), 0, 0, 0);
	else at.setHours(8 + 24 * (which === 2 ? 1 : (8 - at.getDay()) % 7 || 7), 0, 0, 0);
	const next = after(was), who = nameOf(was);
	putOff(was, at);
	did({ who, back: () => { putOff(was, 0); mark(was); refresh().then(() => show(was)); toast(`${who}: taken back`); } });
	show(next);
}

function number(n) {
	if (bar) { asks(""); if (n < 4) later(n); }
	else if (group()) relabel(n);
	else choose(n);
}

const help = () => { $("#single").checked = !localStorage["no-keys"]; $("#keys").showModal(); };
const DOES = {
	j: () => (group() ? move(1) : go(1)), k: () => (group() ? move(-1) : go(-1)), Enter: enter, a: () => key("accept"), e: () => edit(), r: () => key("response"), i: () => key("ignore"), d: () => key("seen"),
	s: () => asks(".until"), l: () => $(".also button")?.click(), x: take, z: undo, "/": () => $("#find").focus(), g: () => { isGoing = true; }, "?": help,
};
const GOES = { m: "Meetings", r: "Replies", n: "group/notices", l: "group/labels" };

function escape() {
	const field = document.activeElement;
	if (bar) return asks("");
	if ($(".edit:not([hidden])")) return edit(false);
	if (field.matches("input, textarea, select")) { field.blur(); return focus(); }
	if ($("#find").value) { $("#find").value = ""; return filter(); }
	show("");
}

/** Like radio buttons. */
function pick(step) {
	const all = $$(".opt"), to = (all.indexOf(document.activeElement) + step + all.length) % all.length;
	choose(to + 1);
	all[to].focus();
}

addEventListener("keydown", (event) => {
	const on = event.target, isField = on.matches?.("textarea, select, input:not([type=checkbox])"), isChord = event.ctrlKey || event.metaKey;
	let name = { ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key, does;
	if (event.isComposing || $("dialog[open]")) return;
	const step = on.matches?.(".opt") && { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
	if (step) { event.preventDefault(); return pick(step); }
	if (event.repeat && !/^[jk]$/.test(name)) return isField || name !== "Enter" || event.preventDefault();  // Held, it decides nothing.
	if (name === "Escape") does = escape;
	else if (isField && name === "Enter" && isChord) does = () => (on.closest(".gap") && !toGap() && !toEnd() ? toast("Here it ends; once more sends it.") : key(on.id === "tell" ? "response" : "accept"));
	else if (isField && name === "Tab" && !event.shiftKey && on.closest(".gap") && toGap(on)) does = () => {};
	else if (on.id === "find" && name === "Enter") does = () => { on.blur(); if (rows()[0]) show(placeOf(rows()[0])); };
	else if (name === "z" && on.value === "" && on.closest(".gap") && $(".undo:not([hidden])") && !localStorage["no-keys"]) does = undo;
	else if (isField || isChord || event.altKey || localStorage["no-keys"] || (name === "Enter" && on.matches?.("button, a, summary"))) return;
	else if (bar === ".sure") does = name === "Enter" && enter;
	else if (isGoing) { isGoing = false; does = () => section(GOES[name]); }
	else if (/^[1-9]$/.test(name)) does = () => number(+name);
	else does = DOES[name];
	if (!does) return;
	event.preventDefault();
	if (bar === ".until" && !/^[1-9]$/.test(name)) asks("");
	does();
});

async function save({ dataset: { id, name } }) {
	try {
		const answer = await get(`files/${card().dataset.thread}/${id}`);
		if (!answer.ok) return toast(`${name}: ${(await answer.json()).why}`, true);
		const href = URL.createObjectURL(await answer.blob());
		Object.assign(make("a"), { href, download: name }).click();
		URL.revokeObjectURL(href);
	} catch { toast(`${name}: ${SILENT}`, true); }
}

const post = async (on, path, who, body) => { const { why } = await ask(path, "POST", body); on.replaceWith(why ?? who); if (!why) did({ who }); refresh(); };
const CLICKS = {
	accept: () => act("accept"), edit: () => edit(), response: () => act("response"), ignore: () => act("ignore"), seen: () => act("seen"), file: save, later: () => asks(".until"), sure: () => act("accept", true), back: () => asks(""), restore: () => did({ back: restore() }), yours,
	start: () => go(1), undo, before: () => go(-1), next: () => go(1), help, open: (on) => show(on.closest("p, [data-at]")?.dataset.at ?? line().dataset.at),
	number: (on) => number(+on.dataset.id),
	also: (on) => {
		if (!card().dataset.stood) return;
		const beside = on.closest(".also");
		give({ at: beside.dataset.at, told: beside.dataset.done }, [named(beside, "accept")]);
		on.remove();
	},
	reopen: (on) => post(on, `mails/${on.dataset.key}/reopen`, "back in the list"),
	forget: (on) => post(on, "learned/forget", "forgotten", on.dataset),
	retry: (on) => post(on, "failures/retry", "tried again"),
};

addEventListener("click", (event) => {
	const on = event.target.closest("button, a");
	if (!on || event.ctrlKey || event.metaKey || event.shiftKey) return;
	const does = CLICKS[on.dataset.does], at = on.matches("a.row") ? placeOf(on) : on.dataset.at;
	if (!does && at === undefined && !on.matches(".opt")) return;
	event.preventDefault();
	if (event.detail > 1 && /accept|ignore|seen|sure/.test(on.dataset.does)) return;  // The second click of two is for the card before.
	if (does) does(on);
	else if (on.matches(".opt")) choose($$(".opt").indexOf(on) + 1);
	else show(at);
});
$("#find").addEventListener("input", filter);
addEventListener("popstate", () => { if (placeNow() !== open) show(placeNow()); });
$("#single").addEventListener("change", ({ target }) => (target.checked ? delete localStorage["no-keys"] : (localStorage["no-keys"] = 1)));
setOpen($("article")?.dataset.at ?? "");
begin();
