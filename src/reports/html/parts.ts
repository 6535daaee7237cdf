import { type Html, html, type Renderable } from "../../html/html.ts";
import { instant } from "../../timeline/instant.ts";
import { changeTone } from "../../timeline/states.ts";
import { clip, count, plain, plainLines } from "../../timeline/text.ts";

/** Maximum lengths of user-provided text in a report: a title, a value, a paragraph and a whole message. */
const LONGEST = { title: 200, value: 300, text: 2_000, message: 20_000 };

/** User-provided text on one line, isolated so its direction does not affect the text around it. */
export function words(text: string, kind: "title" | "value" | "text" = "value"): Html {
  return html`<bdi>${plain(clip(text, LONGEST[kind]))}</bdi>`;
}

/** User-provided text on several lines, with its line breaks preserved. */
export function block(text: string): Html {
  const lines = plainLines(clip(text, LONGEST.message));
  return html`<pre tabindex="0" role="group" aria-label="Message"><bdi>${lines.join("\n")}</bdi></pre>`;
}

export const code = (text: string): Html => html`<code>${words(text)}</code>`;

/** A virtual time, shown in the sand colour. */
export const time = (iso: string): Html => html`<time datetime="${iso}">${instant(iso)}</time>`;

/** A verdict, shown as a word and not only by its colour. */
export function verdict(status: string): Html {
  const kind = status === "passed" ? "good" : status === "failed" ? "bad" : changeTone(status);
  return html`<b class="verdict ${kind}">${status}</b>`;
}

/** A list of names and values. Rows without a value are omitted. */
export function facts(rows: readonly (readonly [name: Renderable, value: Renderable])[]): Html {
  const shown = rows.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
  );
  return html`<dl class="facts">${shown.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** A table in its own scroll container, in case it is wider than the page. */
export function table(label: string, heads: readonly string[], rows: readonly Html[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="${label}"><table><thead><tr>${heads.map(
    (head) => html`<th scope="col">${head}</th>`,
  )}</tr></thead><tbody>${rows}</tbody></table></div>`;
}

export function leftOut(left: number, one: string, many: string): Html | false {
  return (
    left > 0 &&
    html`<p class="left-out">${count(left, `earlier ${one} is`, `earlier ${many} are`)} omitted to keep this file small.</p>`
  );
}
