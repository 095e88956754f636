// What keys and buttons do. Their words are in overview.py.
import { asks, ask as sure, begin, choose, edit, focus, group, isSure, line, lookAhead, move, relabel, restore, show, take, toGap } from "./card.js";
import { act, ask, undo } from "./hold.js";
import { $, $$, after, filter, open, placeOf, putOff, refresh, rows, setOpen } from "./list.js";
import "./events.js";

const pane = $("#pane");
let isGoing = false, isPuttingOff = false;

const to = (at) => show(at).then(() => at && lookAhead(after(at)));
const go = (step) => { const at = open ? after(open, step) : rows()[0] && placeOf(rows()[0]); if (at) to(at); };
const enter = () => {
	if (isSure) act("accept", true);
	else if (group()) to(line().dataset.at);
	else if (!open) go(1);
};
const section = (name) => { const row = rows().find((each) => placeOf(each) === name || each.closest("section").dataset.section === name); if (row) to(placeOf(row)); };

/** Until this evening, tomorrow or Monday. */
function later(which) {
	const at = new Date(), was = open;
	if (which === 1) at.setHours(Math.max(18, at.getHours() + 1), 0, 0, 0);
	else at.setHours(8 + 24 * (which === 2 ? 1 : (8 - at.getDay()) % 7 || 7), 0, 0, 0);
	const next = after(was);
	putOff(was, at);
	to(next);
}

function puttingOff(isOn) {
	isPuttingOff = isOn && asks(".until");
	if (!isPuttingOff) asks("");
}

function number(n) {
	if (isPuttingOff) { puttingOff(false); if (n < 4) later(n); }
	else if (group()) relabel(n);
	else choose(n);
}

const help = () => { $("#single").checked = !localStorage.getItem("no-keys"); $("#keys").showModal(); };
const DOES = {
	j: () => (group() ? move(1) : go(1)), k: () => (group() ? move(-1) : go(-1)), Enter: enter, a: () => act("accept"), e: () => edit(), r: () => act("response"), i: () => act("ignore"),
	s: () => puttingOff(true), l: () => $(".also button", pane)?.click(), x: take, z: undo, "/": () => $("#find").focus(), g: () => { isGoing = true; }, "?": help,
};
const GOES = { m: "Meetings", r: "Replies", n: "group/notices", l: "group/labels" };

function escape() {
	const field = document.activeElement;
	if (isSure) return sure(false);
	if (isPuttingOff) return puttingOff(false);
	if ($(".edit:not([hidden])", pane)) return edit(false);
	if (field.matches("input, textarea, select")) { field.blur(); return focus(); }
	if ($("#find").value) { $("#find").value = ""; return filter(); }
	to("");
}

addEventListener("keydown", (event) => {
	const on = event.target, isField = on.matches?.("textarea, select, input:not([type=checkbox])"), isChord = event.ctrlKey || event.metaKey;
	let key = { ArrowDown: "j", ArrowUp: "k" }[event.key] ?? event.key, does;
	if (event.isComposing || $("dialog[open]")) return;
	if (key === "Escape") does = escape;
	else if (isField && key === "Enter" && isChord) does = () => act(on.id === "tell" ? "response" : "accept");
	else if (isField && key === "Tab" && !event.shiftKey && on.closest(".gap") && toGap(on)) does = () => {};
	else if (on.id === "find" && key === "Enter") does = () => { on.blur(); if (rows()[0]) to(placeOf(rows()[0])); };
	else if (isField || isChord || event.altKey || localStorage.getItem("no-keys") || (key === "Enter" && on.matches?.("button, a, summary"))) return;
	else if (isSure) does = key === "Enter" && enter;
	else if (isGoing) { isGoing = false; does = () => section(GOES[key]); }
	else if (/^[1-9]$/.test(key)) does = () => number(+key);
	else does = DOES[key];
	if (!does) return;
	event.preventDefault();
	if (isPuttingOff && !/^[1-9]$/.test(key)) puttingOff(false);
	does();
});

const post = async (on, path, words, body) => { const told = await ask(path, "POST", body); on.replaceWith(told.why ?? words); refresh(); };
const CLICKS = {
	accept: () => act("accept"), edit: () => edit(), response: () => act("response"), ignore: () => act("ignore"), later: () => puttingOff(true), sure: () => act("accept", true), back: () => sure(false), restore,
	start: () => go(1), undo, before: () => go(-1), next: () => go(1), help, open: (on) => to(on.closest("p, [data-at]")?.dataset.at ?? line().dataset.at),
	until: (on) => { puttingOff(false); later(+on.dataset.id); },
	also: async (on) => {
		const box = on.closest(".also"), { thread, interrupt, digest } = box.dataset, [told] = [await ask("answers", "POST", [{ thread, interrupt, digest, type: "accept" }])].flat();
		box.textContent = told.why ?? "Labelled.";
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
	if (does) does(on);
	else if (on.matches(".opt")) choose($$(".opt", pane).indexOf(on) + 1);
	else to(at);
});
$("#find").addEventListener("input", filter);
$("#single").addEventListener("change", ({ target }) => (target.checked ? localStorage.removeItem("no-keys") : localStorage.setItem("no-keys", "1")));
setOpen($("article")?.dataset.at ?? "");
begin();
