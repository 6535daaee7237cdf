import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { inPackage } from "../runtime/package.ts";

const FOLDER = inPackage("dist/ui/");

const TYPES: Record<string, string> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  woff2: "font/woff2",
};

/** The page may only load its own files and only call its own server. */
export const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join("; ");

export interface PageFile {
  type: string;
  body: Buffer;
}

/** A file of the built page; undefined if the file does not exist or the page was not built. */
export async function readPageFile(name: string): Promise<PageFile | undefined> {
  const ending = /^(?:assets\/)?[\w-]+(?:\.[\w-]+)*\.(\w+)$/.exec(name)?.[1] ?? "";
  const type = TYPES[ending];
  if (type === undefined) return undefined;
  try {
    return { type, body: await readFile(join(FOLDER, name)) };
  } catch {
    return undefined;
  }
}
