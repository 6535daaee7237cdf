import { misuse } from "../../errors/errors.ts";
import type { KnownScenario } from "../../scenarios/catalog.ts";
import type { Share } from "../../trial/schedules/schedule.ts";
import { readNamedValues } from "../named-values.ts";

/** Reads `--param name=value`. @throws SandboxError `bad_request` */
export const readParamFlags = (texts: readonly string[]): Record<string, string> =>
  readNamedValues("--param", texts, "failures=3");

/**
 * Gives each scenario the values of its own parameters.
 * @param areOthersFine whether a parameter may belong to scenarios that do not run now
 * @throws SandboxError `bad_request` for a parameter that no scenario declares
 */
export function paramsFor(
  scenarios: readonly KnownScenario[],
  values: Readonly<Record<string, string>>,
  areOthersFine = false,
): (scenario: KnownScenario) => Record<string, string> {
  const has = ({ params }: KnownScenario, name: string) => Object.hasOwn(params, name);
  for (const name of Object.keys(values))
    if (!areOthersFine && !scenarios.some((scenario) => has(scenario, name))) {
      const names = [...new Set(scenarios.flatMap(({ params }) => Object.keys(params)))];
      throw misuse(
        `None of these scenarios has a parameter '${name.slice(0, 60)}'.`,
        names.length === 0 ? "They take none." : `Available parameters: ${names.join(", ")}.`,
      );
    }
  return (scenario) => Object.fromEntries(Object.entries(values).filter(([name]) => has(scenario, name)));
}

/** Reads `--shard 2/3`. @throws SandboxError `bad_request` */
export function readShard(text: string | undefined): Share {
  if (text === undefined) return { index: 1, count: 1 };
  const [, index, count] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index !== undefined && count !== undefined && index >= 1 && index <= count) return { index, count };
  throw misuse(
    `--shard expects a part and the number of parts, not '${text.slice(0, 60)}'.`,
    "For example: --shard 1/3, --shard 2/3 and --shard 3/3 in three jobs.",
  );
}

/** A shard's items. Each item is in exactly one shard, and their sizes differ by at most one. */
export function shardOf<Item>(items: readonly Item[], { index, count }: Share): Item[] {
  return items.filter((_item, at) => at % count === index - 1);
}
