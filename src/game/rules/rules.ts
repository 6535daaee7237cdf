import type { GameContext } from "../context.ts";
import type { Rule } from "./rule.ts";

/** The rules of a world, in their order. */
export type ReadRules = () => readonly Rule[];

/** The rules of a world's fixtures, or those of the configuration if the fixtures have none. */
export function createRules({ world, settings }: Pick<GameContext, "world" | "settings">): ReadRules {
  const { store } = world;
  const own = store.sql<{ rule: string }>("select rule from game_rules order by position");
  const rules = store.memo((): readonly Rule[] => {
    const listed = own.all().map(({ rule }) => JSON.parse(rule) as Rule);
    return listed.length === 0 ? settings.rules : listed;
  });
  return rules.get;
}
