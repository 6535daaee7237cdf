import { createHash } from "node:crypto";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";

/** Markup that is known to be safe. Only {@link html} and {@link trusted} create it. */
export class Html {
  readonly markup: string;

  constructor(markup: string) {
    this.markup = markup;
  }

  toString(): string {
    return this.markup;
  }
}

/** The values that a `${}` in {@link html} accepts. */
export type Renderable = Html | string | number | bigint | boolean | null | undefined | readonly Renderable[];

const escapes: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
  "\0": "\uFFFD",
};

/** Escapes text for use in element content and in quoted attribute values. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"'`\0]/g, (character) => escapes[character] ?? "");
}

/**
 * A template whose values are escaped. `Html` values are inserted unchanged, arrays are joined without a separator, and
 * null, undefined and false produce nothing. Attribute values must be quoted in the template.
 */
export function html(strings: TemplateStringsArray, ...values: readonly Renderable[]): Html {
  let markup = strings[0] ?? "";
  values.forEach((value, index) => {
    markup += render(value) + (strings[index + 1] ?? "");
  });
  return new Html(markup);
}

function render(value: Renderable): string {
  if (value === null || value === undefined || value === false) return "";
  if (value instanceof Html) return value.markup;
  if (Array.isArray(value)) return value.map(render).join("");
  return escapeHtml(String(value));
}

/** Marks markup that this code base generates, such as a drawing, as safe. Never pass data to it. */
export function trusted(markup: string): Html {
  return new Html(markup);
}

/** The URL if it is safe to link to (http, https, or a path on this origin); otherwise undefined. */
export function linkTarget(address: string | null | undefined): string | undefined {
  return address && /^(https?:\/\/|\/(?![/\\])|#)/i.test(address) ? address : undefined;
}

/** The parts of a {@link page}. `styles` and `script` are source code from this repository, never data. */
export interface PageParts {
  title: string;
  body: Html;
  styles?: string | undefined;
  script?: string | undefined;
}

const icon =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E" +
  "%3Cpath d='M3 1h10v2L9.5 8l3.5 5v2H3v-2l3.5-5L3 3z' fill='%23c98a1b'/%3E%3C/svg%3E";

/** A complete HTML document with the shared stylesheet. Send it with {@link contentSecurityPolicy}. */
export function page({ title, body, styles, script }: PageParts): string {
  const head = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="same-origin">',
    '<meta name="robots" content="noindex">',
    `<link rel="icon" href="${icon}">`,
    `<title>${escapeHtml(title)}</title>`,
    `<style>${pageStyle}${styles ?? ""}</style>`,
  ].join("\n");
  const tail = script ? `\n<script>${script}</script>` : "";
  return `<!doctype html>\n<html lang="en">\n<head>\n${head}\n</head>\n<body>\n${body.markup}${tail}\n</body>\n</html>\n`;
}

/** A policy that allows only these inline scripts and loads nothing else. */
export function contentSecurityPolicyFor(...scripts: readonly string[]): string {
  const hashes = scripts.map((script) => `'sha256-${createHash("sha256").update(script).digest("base64")}'`);
  return [
    "default-src 'none'",
    `script-src ${hashes.length > 0 ? hashes.join(" ") : "'none'"}`,
    "style-src 'unsafe-inline'",
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join("; ");
}

/** The Content-Security-Policy for all pages in this folder and for the hosted checkout. */
export const contentSecurityPolicy: string = contentSecurityPolicyFor(pageScript);
