import type { GameContext } from "../context.ts";
import { GameError } from "../errors.ts";
import type { Session } from "../sessions.ts";
import { ActionFailed, type createRuleActions, REFUSED, RULE_PAYMENT, type RuleRun } from "./actions.ts";
import { type ActionKind, type Rule, type RuleAction, whyNot } from "./rule.ts";
import type { ReadRules, RuleStats, RuleView } from "./rules.ts";

export interface TriggerAnswer {
  success: true;
  triggerUuid: string;
  /** The kinds of the actions that were performed, in order. */
  actions: ActionKind[];
}

export interface RulesEngine {
  /**
   * Handles a trigger from a player's game. Each nonce runs once; repeated calls get the first result. If there is no
   * nonce, one is generated. A trigger without a matching rule is fine.
   */
  trigger(session: Session, trigger: string, value: number | undefined, nonce?: string): TriggerAnswer;
  /** Every rule with its statistics: how often it fired, and why it was last skipped. */
  list(): RuleView[];
}

/** Runs the configured rules when a game sends triggers. The journal records which fired, and why others did not. */
export function createRulesEngine(
  { world }: GameContext,
  perform: ReturnType<typeof createRuleActions>,
  rules: ReadRules,
  stats: RuleStats,
): RulesEngine {
  const { store, clock, journal, random, ids } = world;
  const earlier = store.sql<{ answer: string }>(
    "select answer from game_rule_runs where game = ? and player = ? and trigger_name = ? and nonce = ?",
  );
  const remember = store.sql(
    `insert into game_rule_runs (game, player, trigger_name, nonce, answer, created_at) values (?, ?, ?, ?, ?, ?)`,
  );
  const correct = store.sql(
    "update game_rule_runs set answer = ? where game = ? and player = ? and trigger_name = ? and nonce = ?",
  );
  /** The success of each requested payment, in order. Payments run as soon as the trigger is committed. */
  const paid: boolean[] = [];
  journal.on(RULE_PAYMENT, ({ data }) => paid.push(data.status !== REFUSED));

  function performed(action: RuleAction, run: RuleRun, rule: Rule): ActionKind | undefined {
    try {
      return perform(action, run, rule);
    } catch (error) {
      if (!(error instanceof ActionFailed || error instanceof GameError)) throw error;
      journal.append("rule.action_failed", { rule: rule.name, action: { ...action }, reason: error.message });
      return undefined;
    }
  }

  function fire(rule: Rule, run: RuleRun, about: Record<string, unknown>): ActionKind[] {
    const done = rule.then.map((action) => performed(action, run, rule)).filter((kind) => kind !== undefined);
    journal.append("rule.fired", { rule: rule.name, ...about, actions: done });
    stats.fired(rule);
    return done;
  }

  function runRules(run: RuleRun): ActionKind[] {
    const { player, game } = run.session;
    const about = {
      trigger: run.trigger,
      game: game.slug,
      player: player.username,
      value: run.value ?? null,
    };
    const listening = rules().filter(
      ({ when, game: only }) => when === run.trigger && (only === undefined || only === game.slug),
    );
    if (listening.length === 0) journal.append("rule.unmatched", about);
    return listening.flatMap((rule) => {
      const reason = whyNot(rule, run.value);
      if (reason === undefined) return fire(rule, run, about);
      journal.append("rule.skipped", { rule: rule.name, ...about, reason });
      stats.skipped(rule, reason);
      return [];
    });
  }

  return {
    trigger(session, trigger, value, nonce = ids.code("trigger_nonce", 16)) {
      const { player, game } = session;
      paid.length = 0;
      const answer = store.transaction(() => {
        const repeated = earlier.get(game.id, player.id, trigger, nonce);
        if (repeated) {
          journal.append("rule.repeated", { trigger, game: game.slug, player: player.username, nonce });
          return JSON.parse(repeated.answer) as TriggerAnswer;
        }
        const answer: TriggerAnswer = {
          success: true,
          triggerUuid: uuid(random.draw("trigger_uuid")),
          actions: runRules({ session, trigger, nonce, value }),
        };
        remember.run(game.id, player.id, trigger, nonce, JSON.stringify(answer), clock.now());
        return answer;
      });
      if (!paid.includes(false)) return answer;
      const actions = answer.actions.filter((kind) => kind !== "payment" || paid.shift() !== false);
      const corrected = { ...answer, actions };
      store.transaction(() => correct.run(JSON.stringify(corrected), game.id, player.id, trigger, nonce));
      return corrected;
    },

    list: stats.list,
  };
}

function uuid(draw: () => number): string {
  const digits = Array.from({ length: 4 }, () => draw().toString(16).padStart(8, "0")).join("");
  const variant = "89ab"[Number.parseInt(digits[16]!, 16) % 4];
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, `$1-$2-4$3-${variant}$4-$5`);
}
