import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** Where the built page is, seen from this file's bundle and from its source. */
const PLACES = ["../ui/", "./ui/", "../../dist/ui/"].map((place) => new URL(place, import.meta.url));

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};

/** The page loads its own files and calls its own server, and nothing else. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

/** A file of the built page; undefined when there is none of that name, or no page was built. */
export async function readPageFile(name: string): Promise<{ type: string; body: Buffer } | undefined> {
  const ending = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? "";
  const type = TYPES[ending];
  const folder = PLACES.find((place) => existsSync(new URL("assets", place)));
  if (!folder || type === undefined) return undefined;
  try {
    return { type, body: await readFile(new URL(name, folder)) };
  } catch {
    return undefined;
  }
}
