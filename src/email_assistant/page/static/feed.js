// What the server tells while the page is open, read as an EventSource reads it: that one cannot show the session's key.
import { get } from "./list.js";

export const feed = new EventTarget();
const EVENT = /^event: (\w+)\ndata: (.*)$/;

async function listen() {
	const answer = await get("events"), reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
	feed.dispatchEvent(new Event(answer.ok ? "open" : "error"));
	for (let text = "", part = {}; !part.done;) {
		part = await reader.read();
		const told = `${text}${part.value ?? ""}`.split("\n\n");
		text = told.pop();
		for (const [, name, data] of told.map((each) => EVENT.exec(each) ?? [])) if (name) feed.dispatchEvent(new MessageEvent(name, { data }));
	}
}

/** Listen for ever; a server that went is asked again. */
const again = () => listen().catch(() => {}).then(() => { feed.dispatchEvent(new Event("error")); setTimeout(again, 2000); });
again();
