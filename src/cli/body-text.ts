import { plainLines } from "../timeline/text.ts";
import { paint } from "./output.ts";

/** A body under its title, JSON with indentation; nothing for an empty one. */
export function bodyLines(title: string, body: string | null): string[] {
  if (body === null || body === "") return [];
  return ["", paint.dim(title), ...plainLines(indented(body))];
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
