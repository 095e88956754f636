// The list: which row is open, answered, put off or filtered away.

export const $ = (selector, root = document) => root.querySelector(selector);
export const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
export const plural = (n, one) => `${n} ${one}${n === 1 ? "" : "s"}`;
export const make = (tag, text, look = "") => Object.assign(document.createElement(tag), { textContent: text, className: look });
export const parsed = (html) => [...new DOMParser().parseFromString(html, "text/html").body.childNodes];
const told = (time, options) => time.toLocaleString("en-GB", { hour: "2-digit", minute: "2-digit", ...options });
export const now = () => told(new Date());

/** Ask the server; whoever is not signed in is led there. */
export async function get(path, options) {
	const answer = await fetch(`/review/${path}`, options);
	if (answer.status === 401) location.assign("/review/login");
	return answer;
}

const nav = $("#list");
/** What becomes of rows, by place. */
const marks = new Map();
/** Rows answered here that the server's list lacks yet. */
let answered = [], done = 0, tag = nav.dataset.etag;
/** Cards that are done: a list that was read before has them still. */
const gone = new Set();
/** Where the open card is; "" while none is. */
export let open = "";

export const placeOf = (row) => new URL(row.href).searchParams.get("open");
const every = () => $$("a.row", nav);
export const rowOf = (at) => every().find((row) => placeOf(row) === at);
export const rows = () => every().filter((row) => !row.closest("[hidden], [data-section=Later]"));
const isWaiting = (row) => !row.classList.contains("held");

/** The place so many rows after `at`, of those that wait; after the last the first. */
export function after(at, step = 1) {
	const all = rows().filter((row) => isWaiting(row) || placeOf(row) === at).map(placeOf);
	const to = all[all.indexOf(at) + step] ?? (step > 0 ? all[0] : at);
	return to && (to !== at || step < 0) ? to : "";
}

export function setOpen(at) {
	open = at;
	$(".row[aria-current]", nav)?.removeAttribute("aria-current");
	document.body.classList.toggle("open", at !== "");
	history.replaceState(null, "", at ? `/review?open=${encodeURIComponent(at)}` : "/review");
	const row = rowOf(at);
	row?.setAttribute("aria-current", "true");
	row?.scrollIntoView({ block: "nearest" });
}

function paint(row, [look, words]) {
	row.classList.toggle("held", look === "held");
	$("i", row).replaceChildren(make("span", words, { held: "c-ok", bad: "c-warn" }[look]));
}

/** Tell on the row what becomes of it. */
export function mark(at, look, words) {
	const row = rowOf(at);
	if (look) marks.set(at, [look, words]); else marks.delete(at), gone.delete(at);
	if (row && look) paint(row, [look, words]);
	count();
}

/** The row goes below, to what is answered. */
export function settle(at, words, number, id) {
	const row = rowOf(at);
	marks.delete(at);
	if (at.startsWith("card/")) gone.add(at);
	done += number;
	if (row) {
		const line = make("span", "", "row done"), item = make("li", "");
		line.dataset.id = id ?? "";
		line.append(...row.cloneNode(true).childNodes);
		paint(line, ["", words]);
		$("small", line).textContent = now();
		item.append(line);
		answered.unshift(item);
		row.closest("li").remove();
	}
	arrange();
}

/** Read the list anew; what is open stays open. */
export async function refresh() {
	const answer = await get("list", { headers: tag ? { "if-none-match": tag } : {} });
	if (answer.status !== 200) return;
	tag = answer.headers.get("etag");
	const top = nav.scrollTop;
	nav.replaceChildren(...parsed(await answer.text()));
	for (const at of gone) rowOf(at)?.closest("li").remove();
	for (const [at, mark] of marks) { const row = rowOf(at); if (row) paint(row, mark); }
	answered = answered.filter((item) => !$(`[data-id="${item.firstChild.dataset.id || "-"}"]`, nav));
	arrange();
	rowOf(open)?.setAttribute("aria-current", "true");
	nav.scrollTop = top;
}

/** What is put off or answered stands below; empty sections vanish. */
function arrange() {
	const put = later();
	for (const row of every()) {
		const until = put[placeOf(row)];
		if (!until) continue;
		$("i", row).textContent = told(new Date(until), { weekday: "short" });
		$("[data-section=Later] ul", nav).append(row.closest("li"));
	}
	$("[data-section=Answered] ul", nav).prepend(...answered);
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
	const left = $$("section:not([data-section=Later]) a.row", nav).filter(isWaiting).reduce((sum, row) => sum + +(row.dataset.number ?? 1), 0);
	$("#left").textContent = `${left} left`;
	$("#meter").max = Math.max(1, done + left);
	$("#meter").value = done;
}

/** What this browser puts off: places, and until when. */
const later = () => Object.fromEntries(Object.entries(JSON.parse(localStorage.getItem("later") ?? "{}")).filter(([, until]) => until > Date.now()));

export function putOff(at, until) {
	localStorage.setItem("later", JSON.stringify({ ...later(), [at]: until.getTime() }));
	arrange();
}
arrange();
