import { createInterface } from "node:readline/promises";
import { fields, paint, print, printable } from "../output.ts";
import type { Handler } from "./handler.ts";
import type { Found } from "./sources.ts";

export function printFound({ senders, start, database }: Handler): void {
  const { kind, state, variable } = database;
  const shown: [string, Found][] = [
    ...senders.flatMap(({ name, url, secret }): [string, Found][] => [
      ["sender", name.value === "" ? { value: "unknown" } : name],
      ["address", url],
      ["secret", secret],
    ]),
    ["start", start],
    ["database", kind === "postgres" ? { ...variable, value: `$${variable.value}` } : state],
  ];
  for (const line of fields(
    shown.map(([name, { value, at }]) => [name, printable(value), paint.dim(at ?? "a guess")]),
    "  ",
  ))
    print(line);
  print("");
}

/**
 * Asks the user to confirm the values of a configuration: Enter accepts a value.
 * @returns undefined if the user pressed Ctrl-C or Ctrl-D
 */
export async function confirmHandler(found: Handler): Promise<Handler | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return found;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const ask = async (question: string, known: Found): Promise<Found> => {
    const value = (await terminal.question(`${question} [${printable(known.value)}] `)).trim();
    return value === "" || value === known.value ? known : { value, at: "as answered" };
  };
  try {
    const [first, ...others] = found.senders as [Handler["senders"][number]];
    const url = await ask("Where does your server take these webhooks?", first.url);
    const start = await ask("Which command starts it?", found.start);
    const { kind, state, variable } = found.database;
    const known = kind === "postgres" ? { ...variable, value: `$${variable.value}` } : state;
    const answer = await ask("What has its state: sqlite:<file>, $DATABASE_URL, a URL of JSON?", known);
    return {
      ...{ ...found, start, senders: [{ ...first, url }, ...others] },
      database: answer === known ? found.database : databaseIn(answer, found.database),
    };
  } catch (error) {
    if ((error as Error).name === "AbortError") return undefined;
    throw error;
  } finally {
    terminal.close();
  }
}

function databaseIn({ value, at }: Found, found: Handler["database"]): Handler["database"] {
  const [, name] = /^\$(\w+)$/.exec(value) ?? [];
  if (name !== undefined) return { ...found, kind: "postgres", variable: { value: name, at: at! } };
  const kind = value.startsWith("sqlite:") ? "sqlite" : /^postgres/.test(value) ? "postgres" : "other";
  return { ...found, kind, state: { value, at: at! } };
}
