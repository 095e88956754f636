// The pane: a card, what is typed into it, and its answers.
import { $, $$, SILENT, able, get, make, open, parsed, plural, rowOf, setOpen } from "./list.js";

/** Milliseconds before a key answers a card. */
const STOOD = 250;
/** Finds a letter's gaps, and any left to confirm. */
const gapsOf = ({ texts = [] }) => RegExp([String.raw`\[\s{0,3}confirm\b[^[\]\n]{0,500}\]?`, ...texts.map((text) => `(?<!\\w(?=\\w))${text.replace(/[^\w\s]/g, "\\$&")}(?!(?<=\\w)\\w)`)].join("|"), "gi");
const pane = $("#pane"), one = (selector) => $(selector, pane), all = (selector) => $$(selector, pane);
/** What was typed, by its card's place; it outlives both. */
const drafts = new Map(JSON.parse(sessionStorage.drafts ?? "[]"));
/** The fields as they came, and as they are. */
let came = {}, draft = { args: {}, gaps: [], tell: "" };
/** In place of the buttons: ".sure", ".until", or "". */
export let bar = "";

export const card = () => one("article");
export const focus = () => pane.focus({ preventScroll: true });
export const group = () => card()?.dataset.group;

/** Open a place; "" is the overview. `isNext`: after an answer. */
export async function show(at, isNext) {
	setOpen(at);
	try {
		const answer = await get(at || "overview"), html = await answer.text();
		if (!answer.ok) throw new Error(SILENT);
		if (at !== open || (card()?.dataset.at === at && one("textarea:focus, .edit :focus"))) return;
		edit(false);
		pane.replaceChildren(...parsed(html));
	} catch {
		if (at !== open) return;
		pane.replaceChildren(make("div", "", "in lost"));
		pane.firstChild.append(make("h1", SILENT));
	}
	pane.scrollTop = 0;
	begin();
	if (!document.activeElement?.closest("#find, dialog")) focus();
	if (isNext) setTimeout(into, STOOD, card());
}

/** Into its first gap, unless somebody is elsewhere; not at once: a hurried key was for the card before. */
const into = (on) => { if (on?.matches(":not([data-grave])") && on === card() && document.activeElement === pane && matchMedia("(pointer: fine)").matches) one(".gap :is([data-id], textarea)")?.focus({ preventScroll: true }); };

export function begin() {
	const title = one("h1").textContent;
	bar = "";
	document.title = `${title} · Review`;
	pane.ariaLabel = title;
	able();
	if (card()) setTimeout((on) => { on.dataset.stood = 1; }, STOOD, card());
	if (group()) { move(0); return tally(); }
	if (!card()?.dataset.thread) return;
	const { at } = card().dataset;
	came = Object.fromEntries(all(".edit [name]").map((each) => [each.name, each.value]));
	drafts.set(at, draft = adopted(drafts.get(at)));
	draft.texts = holes().map((gap) => gap.dataset.text);
	$("#tell").value = draft.tell;
	one(".tell").hidden = !draft.tell;
	if (isChanged()) letter(); else wire();
	times();
	count();
	say(draft.warned);
	const [, kept] = earlier();
	if (!kept) return;
	one("[data-yours]").hidden = false;
	one("[data-yours] p").textContent = [...Object.values(changes(kept)), kept.tell].filter(Boolean).join("\n\n");
}

/** Typed for the card whose place this took. */
const earlier = () => [...drafts].find(([at, kept]) => at !== open && at.split("/")[1] === card().dataset.thread && !kept.given && isTyped(kept)) ?? [];

/** Put that back; what has no field here is told. */
export function yours() {
	const [at, kept] = earlier(), all = Object.entries(changes(kept)), fits = ([name]) => name in came;
	drafts.delete(at);
	Object.assign(draft.args, Object.fromEntries(all.filter(fits)));
	if (draft.args.body !== came.body) draft.gaps = [];
	draft.tell = [draft.tell, kept.tell, ...all.filter((each) => !fits(each)).map(([, text]) => text)].filter(Boolean).join("\n");
	one("[data-yours]").hidden = true;
	begin();
}

const save = () => { sessionStorage.drafts = JSON.stringify([...drafts].filter(([, kept]) => isTyped(kept))); };

/** What was typed goes with its answer, and is forgotten with it. */
export function follow({ at, state }) {
	const kept = drafts.get(at);
	if (kept) kept.given = /held|working/.test(state);
	if (state === "done") drafts.delete(at);
	save();
}

/** What is in the way by now; whoever answers then is sure. */
export const warn = (at, words) => { drafts.get(at).warned = words; };

/** What is wrong, above the card. */
export function say(words) {
	const note = one("[data-problem]");
	if (!note || !words) return;
	note.hidden = false;
	$("h2", note).textContent = words;
}

function adopted(kept = { came, args: {}, gaps: [], tell: "" }) {
	const mine = Object.entries(kept.args).filter(([name, text]) => name in came && text !== kept.came[name]);
	return Object.assign(kept, { came, args: { ...came, ...Object.fromEntries(mine) }, gaps: kept.came.body === came.body ? kept.gaps : [] });
}

const holes = () => all(".gap");
const isEmpty = (gap) => !gap.classList.contains("gone") && !$("textarea", gap).value.trim();

function wire() {
	holes().forEach((gap, i) => {
		const kept = (draft.gaps[i] ??= { value: "", gone: false }), field = $("textarea", gap), out = $(".out", gap);
		field.value = kept.value;
		field.oninput = () => { kept.value = field.value; count(); toEnd(gap); };
		out.onclick = () => { kept.gone = !kept.gone; wire(); count(); };
		out.textContent = kept.gone ? "put it back" : "take it out";
		gap.classList.toggle("gone", field.hidden = kept.gone);
	});
}

function count() {
	save();
	const left = holes().filter(isEmpty).length, ok = one("[data-does=accept]"), words = left ? `${plural(left, "gap")} left` : "no gaps left";
	for (const each of [one("[data-gaps]"), ...$$("i span", rowOf(open) ?? pane)]) if (/^(\d+|no) gaps?/i.test(each?.textContent)) each.textContent = words;
	if (!ok || !came.body) return;
	ok.dataset.label ??= $("span", ok).textContent;
	ok.classList.toggle("hole", left);
	$("span", ok).textContent = left ? `Fill ${left === 1 ? "the gap" : `${left} gaps`}` : ok.dataset.label;
}

/** Go to the next empty gap. */
export function toGap(from) {
	const gaps = holes(), here = gaps.findIndex((gap) => gap.contains(from));
	const to = gaps.find((gap, i) => i > here && isEmpty(gap));
	if (to) $("[data-id], textarea", to).focus();
	return to;
}

/** Bring the letter's end into sight while the gap typed into stays; whether it was. */
export function toEnd(gap) {
	const { top } = (gap ?? pane).getBoundingClientRect(), below = one(".letter").getBoundingClientRect().bottom - one(".acts").getBoundingClientRect().top;
	if (below > 0) pane.scrollTop += Math.min(below, gap ? top - pane.offsetTop : below) + 8;
	return below <= 0;
}

function composed(kept) {
	let i = 0;
	const body = kept.args.body.replace(gapsOf(kept), (gap) => { const { value, gone } = kept.gaps[i++] ?? {}; return gone ? "\0" : value?.trim() || gap; });
	return body.includes("\0") ? body.replace(/^[ \t]*\0[ \t]*\n?/gm, "").replaceAll("\0", "").replace(/\n{3,}/g, "\n\n") : body;
}

/** Changed fields, as they would go out. */
function changes(kept) {
	const now = "body" in kept.args ? { ...kept.args, body: composed(kept) } : kept.args;
	return Object.fromEntries(Object.entries(now).filter(([name, text]) => text !== kept.came[name]));
}
const isTyped = (kept) => kept.tell || Object.keys(changes(kept)).length;

const isChanged = () => Object.keys(came).some((name) => came[name] !== draft.args[name]);

/** What went and came: [tag, text] each. */
export function diff(was, is) {
	const a = was.split(/(\s+)/), b = is.split(/(\s+)/), found = [];
	if (a.length * b.length > 4e6) return [["del", was], ["ins", is]];
	const best = [0, ...a].map(() => new Uint16Array(b.length + 1));
	const put = (tag, text) => { const last = found.at(-1); if (last?.[0] === tag) last[1] += text; else found.push([tag, text]); };
	for (let i = a.length; i--;) for (let j = b.length; j--;) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
	for (let i = 0, j = 0; i < a.length || j < b.length;) {
		if (a[i] === b[j]) put("span", a[i++]), j++;
		else if (i < a.length && (j === b.length || best[i + 1][j] >= best[i][j + 1])) put("del", a[i++]);
		else put("ins", b[j++]);
	}
	return found;
}

/** Draw the letter with its changes. */
function letter() {
	const GAP = gapsOf(draft), text = one(".letter .text"), old = holes();
	for (const shown of all("[data-shows]")) shown.textContent = draft.args[shown.dataset.shows];
	if (!text) return;
	one(".changes").hidden = !isChanged();
	text.replaceChildren();
	for (const [tag, words] of diff(came.body, draft.args.body)) {
		const gaps = tag === "del" ? [] : words.match(GAP) ?? [], between = tag === "del" ? [words] : words.split(GAP);
		between.forEach((part, i) => {
			if (part) text.append(make(tag, part));
			if (!gaps[i]) return;
			const made = (old.find((gap) => gap.dataset.text === gaps[i]) ?? $("#gap").content.firstElementChild).cloneNode(true);
			made.dataset.text = gaps[i];
			$("label", made).textContent ||= gaps[i];
			$("label", made).htmlFor = $("textarea", made).id = `gap${holes().length + 1}`;
			text.append(made);
		});
	}
	wire();
}

/** The fields, or their letter. */
export function edit(isOn = true) {
	const form = one(".edit"), fields = all(".edit [name]");
	if (!form || form.hidden !== isOn) return;
	if (isOn) {
		if ("body" in came) draft.args.body = composed(draft);
		draft.gaps = [];
		for (const field of fields) field.value = draft.args[field.name];
	} else {
		for (const field of fields) draft.args[field.name] = field.value;
		letter();
		times();
		count();
	}
	form.hidden = !isOn;
	for (const each of all(".letter, .two, .opts, .note:has([data-gaps])")) each.hidden = isOn;
	if (isOn) (fields.find((each) => each.name === "body") ?? fields[0]).focus();
	else focus();
}

/** The letter as it came; returns the way back. */
export function restore() {
	const mine = draft, was = { ...mine }, put = (to) => { Object.assign(mine, to); if (mine === draft) { letter(); times(); count(); } };
	put({ args: { ...came }, gaps: [] });
	return () => put(was);
}

export function choose(number) {
	const fill = one(`.gap [data-id="${number}"]`), chosen = all(".opt")[number - 1];
	if (fill) {
		const field = $("textarea", fill.parentNode);
		field.value = fill.dataset.text;
		field.oninput();
		return toGap(fill) ?? focus();
	}
	if (!chosen) return;
	Object.assign(draft.args, JSON.parse(chosen.dataset.args));
	letter();
	times();
	save();
}

function times() {
	const { start = "", end = "" } = draft.args, main = one("[data-does=accept] span"), shown = one("[data-time]");
	const hour = (iso) => iso.slice(11, 16), at = (iso) => +iso.slice(11, 13) + iso.slice(14, 16) / 60;
	for (const each of all(".opt")) {
		const is = Object.entries(JSON.parse(each.dataset.args)).every(([name, text]) => draft.args[name] === text);
		each.ariaChecked = is;
		each.tabIndex = is - 1;
		if (is && each.dataset.main) main.textContent = each.dataset.main;
	}
	if (!one(".opt[tabindex='0']") && one(".opt")) one(".opt").tabIndex = 0;
	if (!shown || !hour(start)) return;
	const day = came.start.slice(0, 10) === start.slice(0, 10) ? "" : `${start.slice(0, 10)}, `;
	const was = `${hour(came.start)}–${hour(came.end)}`, is = `${day}${hour(start)}–${hour(end)}`;
	shown.replaceChildren(...(was === is ? [is] : [make("ins", is), " ", make("del", was)]));
	main.textContent = main.textContent.replace(/\d\d:\d\d/, hour(start));
	const own = one(".strip .new");
	if (!own || day) return;
	const { first, last } = own.parentNode.dataset, percent = (hours) => `${100 * hours / (last - first)}%`;
	own.setAttribute("x", percent(at(start) - first));
	own.setAttribute("width", percent(at(end) - at(start)));
	$("text.num", own).textContent = is;
}

const lines = () => all("tbody tr");
const taken = () => lines().filter((each) => $("input", each).checked);
const changed = (each) => { const select = $("select", each); return select && select.value !== each.dataset.chosen ? select.value : ""; };
export const line = () => one("tr.cur");

export function move(step) {
	const each = lines(), first = each.findIndex((row) => !row.classList.contains("out"));
	const to = each[Math.max(0, line() ? Math.min(each.length - 1, each.indexOf(line()) + step) : first)];
	line()?.classList.remove("cur");
	to.classList.add("cur");
	if (step) to.scrollIntoView({ block: "nearest" });
}

export function relabel(number) {
	const select = $("select", line());
	if (select?.options[number - 1]) select.selectedIndex = number - 1;
	tally();
}

export const take = () => group() && $("input", line()).click();

function tally() {
	const mine = taken().filter(changed).length;
	for (const each of lines()) if (each.classList.toggle("ch", changed(each) !== "")) $(".sure", each).textContent = "you";
	one(".acts .p span").textContent = group() === "labels" ? `Label ${taken().length}${mine ? `, with your ${plural(mine, "change")}` : ""}` : `Seen: ${taken().length}`;
}

export const named = ({ dataset: { thread, interrupt, digest } }, type, more) => ({ thread, interrupt, digest, type, ...more });

function together(does) {
	if (does !== "accept") return (group() === "labels" ? lines() : taken()).map((each) => named(each, does));
	return taken().map((each) => (changed(each) ? named(each, "edit", { args: { category: changed(each) } }) : named(each, "accept")));
}

/** The answers; none when something is missing, which is gone to. */
export function answers(does, isTwice) {
	const shown = card();
	if (shown?.dataset.at !== open || !one(`[data-does=${does}]`)) return [];
	if (group()) return together(does);
	edit(false);
	if (/ignore|seen/.test(does)) return [named(shown, does)];
	if (does === "response") {
		if (draft.tell.trim()) return [named(shown, does, { text: draft.tell })];
		one(".tell").hidden = false;
		return $("#tell").focus() ?? [];
	}
	if (toGap() || (!isTwice && asks(".sure"))) return [];
	const args = changes(draft), sure = (isTwice || draft.warned) && { sure: true };
	return [Object.keys(args).length ? named(shown, "edit", { args, ...sure }) : named(shown, "accept", sure)];
}

/** That bar in place of the buttons; "" brings them back. */
export function asks(which) {
	const to = which && one(`.acts${which}`);
	bar = to ? which : "";
	all(".acts").forEach((each, i) => { each.hidden = to ? each !== to : i > 0; });
	if (bar === ".sure") $("[data-does=sure]", to).focus();
	return bar;
}

pane.addEventListener("input", ({ target }) => {
	if (target.id === "tell") draft.tell = target.value;
	if (target.closest(".edit")) draft.args[target.name] = target.value;
	if (group()) tally();
	save();
});
