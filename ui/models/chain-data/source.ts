import { roughly, SECOND } from "../format.ts";

/** What an answer's headers say of where it comes from. */
export interface Source {
  state: "HIT" | "MISS" | "EXPIRED" | "STALE";
  providers: string[];
  chains: number[];
  /** Milliseconds since it was kept. */
  age: number;
  headers: Record<string, string>;
}

const SHOWN = ["X-Cache", "Cache-Status", "Age", "X-Sandbox-Provider", "X-Sandbox-Chain"];

export function readSource(headers: Headers): Source {
  const shown = SHOWN.flatMap((name): [string, string][] => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    state: (headers.get("x-cache") ?? "MISS") as Source["state"],
    providers: split(headers.get("x-sandbox-provider")),
    chains: split(headers.get("x-sandbox-chain")).map(Number),
    age: Number(headers.get("age") ?? 0) * SECOND,
    headers: Object.fromEntries(shown),
  };
}

export function split(text: string | null): string[] {
  return (text ?? "")
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
}

/** The same in a sentence. */
export function sourceWords({ state, providers, age }: Source): string {
  const who = providers.length > 0 ? providers.join(" and ") : "a provider";
  switch (state) {
    case "HIT":
      return `From the cache: ${who} answered ${age < SECOND ? "just now" : `${roughly(age)} ago`}.`;
    case "MISS":
      return `Nothing was cached, so the providers were asked: ${who} answered.`;
    case "EXPIRED":
      return `The cached answer had expired, so the providers were asked again: ${who} answered.`;
    case "STALE":
      return `No provider answers, so this is the expired answer of ${who} from ${roughly(age)} ago.`;
  }
}
