import { type Html, html, trusted } from "../../html/html.ts";
import { hourglass, pageStyle } from "../../html/page-style.ts";
import { plain } from "../../timeline/text.ts";
import { reportStyle, timelineStyle } from "./style.ts";

/** The Content-Security-Policy of reports: they load nothing, and their contents can neither load nor run anything. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** A complete document in one file, without scripts. */
export function reportDocument(title: string, head: Html, body: Html): string {
  const parts = html`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="data:,">
<title>${plain(title)}</title>
<style>${trusted(pageStyle + reportStyle + timelineStyle)}</style>
</head>
<body>
<header>${trusted(hourglass)}<div>${head}</div></header>
<main>${body}</main>
</body>`;
  return `<!doctype html>\n<html lang="en">\n${parts.markup}\n</html>\n`;
}
