// The list: which row is open, answered, put off or filtered away.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
export const make = (tag, text, look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });
export const parsed = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
export const clock = (at = Date.now(), more) => new Date(at).toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", ...more });
export const SILENT = "The server does not answer.";

/** Ask the server; whoever is not signed in is led there. */
export async function get(path, options = {}) {
	const key = localStorage.getItem("review-key"), headers = { ...options.headers, ...(key && { "review-key": key }) };
	const signal = AbortSignal.timeout(options.method === "POST" ? 60000 : 15000);
	const answer = await fetch(`/review/${path}`, { ...options, headers, signal }).catch(() => { hear(false); throw new Error(SILENT); });
	hear(true);
	if (answer.status === 401) location.assign("/review/login");
	return answer;
}

/** Whether the server is gone: that stands above everything, and no button gives an answer. */
export let isSilent = false;
let last = Date.now();

function hear(isThere) {
	if (isThere) last = Date.now();
	if (isThere !== isSilent) return;
	isSilent = !isThere;
	$("#silent").hidden = isThere;
	$("#silent p").textContent = `Nothing you did since ${clock(last)} is known to be taken; your text is kept here.`;
	able();
	if (isThere) dispatchEvent(new Event("back"));
}

export function able() {
	for (const each of $$("button[data-does]")) each.disabled = isSilent && /accept|ignore|seen|response|sure|also|undo|reopen|forget|retry/.test(each.dataset.does);
}

const nav = $("#list");
/** What the page itself says of rows, by place. */
const marks = new Map();
let tag = nav.dataset.etag, asked = 0;
/** Cards that are done: a list that was read before has them still. */
const gone = new Set();
/** Where the open card is; "" while none is. */
export let open = "";

export const placeOf = (row) => new URL(row.href).searchParams.get("open");
const every = () => $$("a.row", nav);
export const rowOf = (at) => every().find((row) => placeOf(row) === at);
export const nameOf = (at) => (rowOf(at)?.firstChild ?? $("#pane h1")).textContent;
export const rows = () => every().filter((row) => !row.closest("[hidden], [data-section=Later]"));

/** The place so many rows after, of those that wait; after the last the first. */
export function after(at, step = 1) {
	const all = rows().filter((row) => !row.matches(".held") || placeOf(row) === at).map(placeOf);
	const to = all[all.indexOf(at) + step] ?? (step > 0 ? all[0] : at);
	return to && (to !== at || step < 0) ? to : "";
}

export const placeNow = () => new URL(location).searchParams.get("open") ?? "";

/** What is open has an address; from a card, the browser's Back leads to the list. */
export function setOpen(at) {
	const was = rowOf(open), isFirst = at && !open;
	open = at;
	$(".row[aria-current]", nav)?.removeAttribute("aria-current");
	document.body.classList.toggle("open", at !== "");
	if (placeNow() !== at) history[isFirst ? "pushState" : "replaceState"](null, "", at ? `/review?open=${encodeURIComponent(at)}` : "/review");
	(current() ?? was)?.scrollIntoView({ block: "nearest" });
}

function current() {
	const row = rowOf(open);
	if (row) row.ariaCurrent = "true";
	return row;
}

function paint(at) {
	const row = rowOf(at), [look, words] = marks.get(at) ?? [];
	if (!row || !look) return;
	row.classList.toggle("held", look === "held");
	$("i", row).replaceChildren(make("span", words, { held: "c-ok", bad: "c-warn" }[look]));
}

/** Tell on the row what becomes of it, or nothing more; the next list is drawn anyhow. */
export function mark(at, ...what) {
	tag = "";
	if (what[0]) marks.set(at, what); else marks.delete(at);
	paint(at);
	count();
}

/** What is there waits no more. */
export function leave(at, isDone) {
	if (isDone) gone.add(at);
	rowOf(at)?.closest("li").remove();
	mark(at);
}

/** Read the list anew; what is open stays open. */
export async function refresh() {
	const mine = ++asked, answer = await get("list", { headers: tag ? { "if-none-match": tag } : {} });
	if (answer.status !== 200) return;
	const html = await answer.text(), top = nav.scrollTop;
	if (mine !== asked) return;
	tag = answer.headers.get("etag");
	nav.replaceChildren(...parsed(html));
	for (const at of gone) rowOf(at)?.closest("li").remove();
	for (const at of marks.keys()) paint(at);
	arrange();
	current();
	nav.scrollTop = top;
}

/** What is put off or answered stands below; empty sections vanish. */
function arrange() {
	const put = later();
	for (const at of Object.keys(put)) {
		const row = rowOf(at);
		if (!row) continue;
		$("i", row).textContent = clock(put[at], { weekday: "short" });
		$("[data-section=Later] ul", nav).append(row.closest("li"));
	}
	for (const section of $$("section", nav)) {
		const items = $$("li", section).length, number = $(".n", section);
		section.hidden = !items;
		if (number) number.textContent = items;
	}
	filter();
}

export function filter() {
	const words = $("#find").value.toLowerCase().split(/\s+/);
	for (const row of every()) {
		const text = `${row.textContent} ${row.dataset.kind} ${row.dataset.names}`.toLowerCase();
		row.closest("li").hidden = !words.every((word) => text.includes(word));
	}
	count();
}

function count() {
	const sum = (which) => $$(which, nav).reduce((all, row) => all + +(row.dataset.number ?? 1), 0), put = sum("[data-section=Later] a.row");
	const left = sum("a.row:not(.held)") - put, done = sum(".row.done");
	$("#left").textContent = `${left} left${put ? `, ${put} later` : ""}`;
	$("#meter").max = Math.max(1, done + left);
	$("#meter").value = done;
}

/** What this browser puts off: places, and until when. */
const later = () => Object.fromEntries(Object.entries(JSON.parse(localStorage.later ?? "{}")).filter(([, until]) => until > Date.now()));

export function putOff(at, until) {
	localStorage.later = JSON.stringify({ ...later(), [at]: +until });
	arrange();
}
arrange();
