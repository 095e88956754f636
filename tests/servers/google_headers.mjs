// Headers of a message as Gmail shows them.

// The headers of a source in base64url, unfolded and decoded, in order.
export function headersOf(raw) {
  const source = Buffer.from(raw ?? "", "base64url").toString("utf8");
  const found = [];
  for (const line of source.split(/\r?\n/)) {
    if (!line) break;
    if (/^[ \t]/.test(line) && found.length) found.at(-1).value += ` ${line.trim()}`;
    else if (line.includes(":")) found.push({ name: line.slice(0, line.indexOf(":")), value: line.slice(line.indexOf(":") + 1).trim() });
  }
  return found.map(({ name, value }) => ({ name, value: decodeWords(value) }));
}

const WORD = /=\?([\w-]+)(?:\*[\w-]+)?\?([bq])\?([^?]*)\?=/gi;

// Encoded words (RFC 2047) become text; what cannot be decoded stays.
export function decodeWords(value) {
  if (!value?.includes("=?")) return value;
  return value.replace(/(\?=)\s+(?==\?)/g, "$1").replace(WORD, (word, charset, coding, text) => {
    try {
      return new TextDecoder(charset).decode(coding.toLowerCase() === "b" ? Buffer.from(text, "base64") : quoted(text));
    } catch {
      return word;
    }
  });
}

function quoted(text) {
  return Buffer.from(text.replaceAll("_", " ").replace(/=([0-9a-f]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16))), "latin1");
}
