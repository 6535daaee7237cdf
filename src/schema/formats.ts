import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import { parseDuration, parseInstant } from "../world/duration.ts";

interface Format {
  /** Completes a sentence that starts with "must be". */
  expected: string;
  /** Converts the value to Sandglass's internal form; undefined if it is invalid. */
  read(value: unknown): unknown;
}

export type Formats = Readonly<Record<string, Format>>;

export const FORMATS: Formats = {
  duration: {
    expected: "a duration such as 30s, 10m or 1h30m",
    read: (value) => unlessThrown(() => parseDuration(value)),
  },
  instant: {
    expected: 'an ISO 8601 point in time from 1970 to 9999, such as 2026-01-15T09:00:00Z, or "now"',
    read: (value) => (value === "now" ? value : unlessThrown(() => parseInstant(value))),
  },
  time: {
    expected: "an ISO 8601 point in time such as 2026-01-15T09:00:00Z",
    read: (value) => (typeof value === "string" ? unlessThrown(() => parseInstant(value)) : undefined),
  },
  "http-address": {
    expected: "an http address such as https://explorer.example/api/v2",
    read(value) {
      const text = typeof value === "string" ? value.replace(/\/+$/, "") : "";
      const fits = /^https?:\/\//.test(text) && URL.canParse(text.replaceAll("{chain}", "1"));
      return fits ? text : undefined;
    },
  },
  "own-address": {
    expected: "the http or https address of a server, such as https://sandbox.example, without a path",
    read: readOrigin,
  },
  origin: {
    expected: "the origin of a page, such as http://localhost:5173, without a path",
    read: (value) => (readOrigin(value) === value ? value : undefined),
  },
  path: {
    expected: "a file or folder that exists, relative to where Sandglass is started",
    read: (value) => (typeof value === "string" && existsSync(value) ? resolve(value) : undefined),
  },
};

/** Reads a URL that consists only of scheme, host and port. */
function readOrigin(value: unknown): string | undefined {
  if (typeof value !== "string" || !/^https?:\/\/[^/?#@*\s]+\/?$/i.test(value) || !URL.canParse(value))
    return undefined;
  return new URL(value).origin;
}
