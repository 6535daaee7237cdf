import { readJson } from "../client/refusal.ts";
import { plainLines } from "../timeline/text.ts";
import { paint } from "./output.ts";

/** A body under its title, JSON with indentation; nothing for an empty one. */
export function bodyLines(title: string, body: string | null): string[] {
  if (body === null || body === "") return [];
  return ["", paint.dim(title), ...plainLines(JSON.stringify(readJson(body), null, 2) ?? body)];
}
