import { isoOrNull } from "../../world/duration.ts";
import type { GameContext } from "../context.ts";
import type { Rule } from "./rule.ts";

export type ReadRules = () => readonly Rule[];

/** The rules from the world's fixtures or, if there are none, from the configuration. */
export function createRules({ world, settings }: Pick<GameContext, "world" | "settings">): ReadRules {
  const { store } = world;
  const own = store.sql<{ rule: string }>("select rule from game_rules order by position");
  const rules = store.memo((): readonly Rule[] => {
    const listed = own.all().map(({ rule }) => JSON.parse(rule) as Rule);
    return listed.length === 0 ? settings.rules : listed;
  });
  return rules.get;
}

interface StatsRow {
  rule: string;
  fired: number;
  skipped: number;
  last_fired_at: number | null;
  last_skipped_at: number | null;
  last_reason: string | null;
}

const NEVER: Omit<StatsRow, "rule"> = {
  fired: 0,
  skipped: 0,
  last_fired_at: null,
  last_skipped_at: null,
  last_reason: null,
};

/** A rule, with how many times it fired and was skipped. Instants are virtual, ISO 8601, and null for never. */
export interface RuleView extends Omit<StatsRow, "rule" | "last_fired_at" | "last_skipped_at"> {
  name: string;
  /** The game that the rule applies to; null for every game. */
  game: string | null;
  when: string;
  if: NonNullable<Rule["if"]> | null;
  then: Rule["then"][number][];
  last_fired_at: string | null;
  last_skipped_at: string | null;
}

/** Records how often each rule fired, and why it was last skipped. */
export interface RuleStats {
  fired(rule: Rule): void;
  skipped(rule: Rule, reason: string): void;
  list(): RuleView[];
}

export function createRuleStats({ world }: GameContext, rules: ReadRules): RuleStats {
  const { store, clock } = world;
  const byRule = store.sql<StatsRow>("select * from game_rule_stats where rule = ?");
  const addFired = store.sql(
    `insert into game_rule_stats (rule, fired, skipped, last_fired_at) values (?, 1, 0, ?)
     on conflict (rule) do update set fired = fired + 1, last_fired_at = excluded.last_fired_at`,
  );
  const addSkipped = store.sql(
    `insert into game_rule_stats (rule, fired, skipped, last_skipped_at, last_reason) values (?, 0, 1, ?, ?)
     on conflict (rule) do update set skipped = skipped + 1, last_skipped_at = excluded.last_skipped_at,
       last_reason = excluded.last_reason`,
  );

  return {
    fired: (rule) => void addFired.run(rule.name, clock.now()),
    skipped: (rule, reason) => void addSkipped.run(rule.name, clock.now(), reason),
    list: () =>
      rules().map((rule) => {
        const stats = byRule.get(rule.name) ?? NEVER;
        return {
          name: rule.name,
          game: rule.game ?? null,
          when: rule.when,
          if: rule.if ?? null,
          then: [...rule.then],
          fired: stats.fired,
          skipped: stats.skipped,
          last_fired_at: isoOrNull(stats.last_fired_at),
          last_skipped_at: isoOrNull(stats.last_skipped_at),
          last_reason: stats.last_reason,
        };
      }),
  };
}
