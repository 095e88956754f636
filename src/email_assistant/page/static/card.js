// The pane: opens a card, keeps what is typed, fills gaps, shows changes, makes answers.
import { $, $$, get, make, open, parsed, plural, rowOf, setOpen } from "./list.js";

const GAP = /\[\s{0,3}confirm\b[^[\]\n]{0,500}\]?/gi;
const pane = $("#pane"), one = (selector) => $(selector, pane), all = (selector) => $$(selector, pane);
/** What was typed, by the card's digest: it outlives the card. */
const drafts = new Map();
/** The fields as they came, and as they are. */
let came = {}, draft = { args: {}, gaps: [], tell: "" };
export let isSure = false;

export const card = () => one("article");
export const isGone = () => one("[data-gone]");
export const focus = () => pane.focus({ preventScroll: true });
export const group = () => card()?.dataset.group;

async function read(at) {
	const answer = await get(at || "overview");
	if (!answer.ok) throw new Error("The server does not answer.");
	return answer.text();
}

let ahead = ["", Promise.resolve("")];
/** Read a card ahead. */
export function lookAhead(at) {
	ahead = at.startsWith("card/") ? [at, read(at)] : ["", ahead[1]];
	ahead[1].catch(() => {});
}

/** Open a place; "" is the overview. */
export async function show(at) {
	const coming = at && ahead[0] === at ? ahead[1].catch(() => read(at)) : read(at);
	ahead[0] = "";
	setOpen(at);
	try {
		const html = await coming;
		if (at !== open || (card()?.dataset.at === at && one("textarea:focus, .edit :focus"))) return;
		edit(false);
		pane.replaceChildren(...parsed(html));
	} catch (error) {
		if (at !== open) return;
		pane.replaceChildren(make("div", "", "in"));
		pane.firstChild.append(make("h1", error.message));
	}
	pane.scrollTop = 0;
	begin();
	if (!document.activeElement?.closest("#find, dialog")) focus();
}

export function begin() {
	const title = one("h1").textContent;
	isSure = false;
	document.title = `${title} · Review`;
	pane.setAttribute("aria-label", title);
	if (group()) { move(0); tally(); }
	if (group() || !card()?.dataset.thread) return;
	const { digest } = card().dataset;
	came = Object.fromEntries(all(".edit [name]").map((each) => [each.name, each.value]));
	drafts.set(digest, draft = adopted(drafts.get(digest)));
	$("#tell").value = draft.tell;
	one(".tell").hidden = !draft.tell;
	if (isChanged()) letter(); else wire();
	times();
	count();
}

/** What is wrong, above the card. */
export function say(words) {
	const note = one("[data-problem]");
	if (!note) return;
	note.hidden = false;
	$("h2", note).textContent = words;
}

/** What was typed into one card is there in the next, which took its place. */
export const keep = (was, is) => { if (drafts.has(was)) drafts.set(is, drafts.get(was)); };

function adopted(kept = { came, args: {}, gaps: [], tell: "" }) {
	const mine = Object.entries(kept.args).filter(([name, text]) => name in came && text !== kept.came[name]);
	return { came, args: { ...came, ...Object.fromEntries(mine) }, gaps: kept.came.body === came.body ? kept.gaps : [], tell: kept.tell };
}

const holes = () => all(".gap");
const isEmpty = (gap) => !gap.classList.contains("gone") && !$("textarea", gap).value.trim();

function wire() {
	holes().forEach((gap, i) => {
		const kept = (draft.gaps[i] ??= { value: "", gone: false }), field = $("textarea", gap), out = $(".out", gap);
		field.value = kept.value;
		field.oninput = () => { kept.value = field.value; count(); };
		out.onclick = () => { kept.gone = !kept.gone; wire(); count(); };
		out.textContent = kept.gone ? "put it back" : "take it out";
		gap.classList.toggle("gone", field.hidden = kept.gone);
	});
}

function count() {
	const left = holes().filter(isEmpty).length, main = one("[data-does=accept]"), words = left ? `${plural(left, "gap")} left` : "no gaps left";
	for (const gap of holes()) gap.classList.toggle("filled", !isEmpty(gap) && !gap.classList.contains("gone"));
	for (const each of [one("[data-gaps]"), ...$$("i span", rowOf(open) ?? pane)]) if (/^(\d+|no) gaps?/i.test(each?.textContent)) each.textContent = words;
	if (!main) return;
	main.dataset.label ??= $("span", main).textContent;
	main.dataset.look ??= main.className;
	main.className = left ? "b hole" : main.dataset.look;
	$("span", main).textContent = left ? `Fill ${left === 1 ? "the gap" : `${left} gaps`}` : main.dataset.label;
}

/** Go to the next empty gap. */
export function toGap(from) {
	const gaps = holes(), here = gaps.findIndex((gap) => gap.contains(from));
	const to = gaps.find((gap, i) => i > here && isEmpty(gap));
	if (to) $("textarea", to).focus();
	return Boolean(to);
}

/** The letter as it would go out. */
function composed() {
	let i = 0;
	const body = draft.args.body.replace(GAP, (gap) => { const { value, gone } = draft.gaps[i++] ?? {}; return gone ? "\0" : value?.trim() || gap; });
	return body.replace(/^[ \t]*\0[ \t]*\n?/gm, "").replaceAll("\0", "").replace(/\n{3,}/g, "\n\n");
}

const isChanged = () => Object.keys(came).some((name) => came[name] !== draft.args[name]);

/** What went and what came: [tag, text] each. */
export function diff(was, is) {
	const a = was.split(/(\s+)/), b = is.split(/(\s+)/), found = [];
	if (a.length * b.length > 4e6) return [["del", was], ["ins", is]];
	const best = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
	const put = (tag, text) => { if (found.at(-1)?.[0] === tag) found.at(-1)[1] += text; else found.push([tag, text]); };
	for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) best[i][j] = a[i] === b[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
	for (let i = 0, j = 0; i < a.length || j < b.length;) {
		if (a[i] === b[j]) put("span", a[i++]), j++;
		else if (i < a.length && (j === b.length || best[i + 1][j] >= best[i][j + 1])) put("del", a[i++]);
		else put("ins", b[j++]);
	}
	return found;
}

/** Draw the letter with its changes. */
function letter() {
	const text = one(".letter .text"), asked = Object.fromEntries(holes().map((gap) => [gap.dataset.text, $("label", gap).textContent]));
	for (const shown of all("[data-shows]")) shown.textContent = draft.args[shown.dataset.shows];
	if (!text) return;
	one(".changes").hidden = !isChanged();
	text.replaceChildren();
	for (const [tag, words] of diff(came.body, draft.args.body)) {
		const gaps = tag === "del" ? [] : words.match(GAP) ?? [], between = tag === "del" ? [words] : words.split(GAP);
		between.forEach((part, i) => {
			if (part) text.append(make(tag, part));
			if (!gaps[i]) return;
			const made = $("#gap").content.cloneNode(true);
			$(".gap", made).dataset.text = gaps[i];
			$("label", made).textContent = asked[gaps[i]] ?? gaps[i].replace(/^\[\s*confirm:?\s*|\]$/gi, "");
			$("label", made).htmlFor = $("textarea", made).id = `gap${holes().length + 1}`;
			text.append(made);
		});
	}
	wire();
}

/** Show the fields, or their letter. */
export function edit(isOn = true) {
	const form = one(".edit"), fields = all(".edit [name]");
	if (!form || form.hidden !== isOn) return;
	if (isOn) {
		for (const field of fields) field.value = field.name === "body" ? composed() : draft.args[field.name];
		draft.gaps = [];
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

export function restore() {
	draft.args = { ...came };
	draft.gaps = [];
	letter();
	count();
}

/** Choose what has this number. */
export function choose(number) {
	const chosen = all(".opt")[number - 1];
	if (!chosen) return;
	Object.assign(draft.args, JSON.parse(chosen.dataset.args));
	letter();
	times();
}

/** Tell what is chosen. */
function times() {
	const { start = "", end = "" } = draft.args, main = one("[data-does=accept] span"), shown = one("[data-time]");
	const hour = (iso) => iso.slice(11, 16), at = (iso) => +iso.slice(11, 13) + iso.slice(14, 16) / 60;
	for (const each of all(".opt")) {
		const is = Object.entries(JSON.parse(each.dataset.args)).every(([name, text]) => draft.args[name] === text);
		each.setAttribute("aria-checked", is);
		if (is && each.dataset.main) main.textContent = each.dataset.main;
	}
	if (!shown || !hour(start)) return;
	const day = came.start.slice(0, 10) === start.slice(0, 10) ? "" : `${start.slice(0, 10)}, `;
	const was = `${hour(came.start)}–${hour(came.end)}`, is = `${day}${hour(start)}–${hour(end)}`;
	shown.replaceChildren(...(was === is ? [is] : [make("ins", is), " ", make("del", was)]));
	main.textContent = main.textContent.replace(/\d\d:\d\d/, hour(start));
	const strip = one(".strip"), bar = one(".strip .new");
	if (!bar || day) return;
	const { first, last } = strip.dataset, part = 100 / (last - first);
	bar.setAttribute("x", `${(at(start) - first) * part}%`);
	bar.setAttribute("width", `${(at(end) - at(start)) * part}%`);
	$("text.num", bar).textContent = is;
}

const lines = () => all("tbody tr");
const taken = () => lines().filter((each) => $("input", each).checked);
const changed = (each) => { const select = $("select", each); return select && select.value !== each.dataset.chosen ? select.value : ""; };
export const line = () => one("tr.cur");

export function move(step) {
	const each = lines(), first = each.findIndex((row) => !row.classList.contains("out"));
	const to = each.at(line() ? Math.max(0, Math.min(each.length - 1, each.indexOf(line()) + step)) : Math.max(0, first));
	line()?.classList.remove("cur");
	to.classList.add("cur");
	if (step) to.scrollIntoView({ block: "nearest" });
}

export function relabel(number) {
	const select = $("select", line());
	if (select?.options[number - 1]) select.selectedIndex = number - 1;
	tally();
}

export function take() {
	if (!group()) return;
	const box = $("input", line());
	box.checked = !box.checked;
	tally();
}

function tally() {
	const mine = taken().filter(changed).length;
	for (const each of lines()) if (each.classList.toggle("ch", changed(each) !== "")) $(".sure", each).textContent = "you";
	one(".acts .p span").textContent = group() === "labels" ? `Label ${taken().length}${mine ? `, with your ${plural(mine, "change")}` : ""}` : `Put ${taken().length} aside`;
}

const named = ({ dataset: { thread, interrupt, digest } }, type, more) => ({ thread, interrupt, digest, type, ...more });

function together(does) {
	if (does === "ignore") return (group() === "labels" ? lines() : taken()).map((each) => named(each, "ignore"));
	if (does !== "accept" || group() !== "labels") return [];
	return taken().map((each) => (changed(each) ? named(each, "edit", { args: { category: changed(each) } }) : named(each, "accept")));
}

/** The answers to what is shown; none when something is missing: then the person is taken there. */
export function answers(does, isTwice) {
	const shown = card();
	if (shown?.dataset.at !== open || !one(`[data-does=${does}]`)) return [];
	if (group()) return together(does);
	edit(false);
	if (does === "ignore") return [named(shown, does)];
	if (does === "response") {
		if (draft.tell.trim()) return [named(shown, does, { text: draft.tell })];
		one(".tell").hidden = false;
		$("#tell").focus();
		return [];
	}
	if (toGap() || (one(".sure") && !isTwice && ask(true))) return [];
	const now = "body" in came ? { ...draft.args, body: composed() } : draft.args;
	const args = Object.fromEntries(Object.entries(now).filter(([name, text]) => text !== came[name]));
	return [Object.keys(args).length ? named(shown, "edit", { args }) : named(shown, "accept", isTwice && { sure: true })];
}

/** Put a bar, ".sure" or ".until", in the place of the buttons; "" brings them back. Whether it is there. */
export function asks(bar) {
	const to = bar && one(`.acts${bar}`);
	if (bar && !to) return false;
	all(".acts").forEach((each, i) => { each.hidden = to ? each !== to : i > 0; });
	return true;
}

export function ask(isAsked) {
	isSure = isAsked;
	asks(isAsked ? ".sure" : "");
	if (isAsked) one("[data-does=sure]").focus();
	return isAsked;
}

pane.addEventListener("input", ({ target }) => {
	if (target.id === "tell") draft.tell = target.value;
	if (group()) tally();
});
