import { isOk, type SentAttempt } from "../schedules/attempt.ts";
import { deviationIn } from "../schedules/deviations/index.ts";
import {
  type Exploration,
  type Finding,
  type Survey,
  sumOfCounts,
  type Wrong,
} from "../schedules/exploration.ts";
import type { Difference } from "../subject/state.ts";

/**
 * Identifies each fault by what went wrong and how the server handled the schedule: where the state differs (regardless
 * of values), the broken invariant, and permanently rejected events.
 */
function wrongsOf({ differences, invariant, run }: Wrong): string[] {
  const handled = [...new Set((run.attempts ?? []).flatMap(handlingOf))].sort().join(", ");
  return [
    ...differences.map((one) => `${one.path.replaceAll(/\[\d+\]/g, "[*]")} ${kindOf(one)}`),
    ...(invariant ? [`invariant ${invariant.message}`] : []),
    ...run.refused.map(({ event }) => `refused ${event}`),
  ].map((wrong) => `${wrong}: ${handled}`);
}

function kindOf({ expected, actual }: Difference): string {
  if (expected === undefined) return "extra";
  if (actual === undefined) return "missing";
  if (typeof expected !== "number" || typeof actual !== "number") return "other";
  return actual < expected ? "less" : "more";
}

/** How the server failed at an attempt: what it lost, a response other than 2xx, or a 2xx for something it could not do. */
function handlingOf(sent: SentAttempt): string[] {
  const { server, keepsFromWork } = deviationIn(sent) ?? {};
  if (server === "restarted") return [server];
  if (server === "killed" || (keepsFromWork && !isOk(sent.status))) return ["interrupted"];
  if (keepsFromWork) return ["accepted without doing the work"];
  return sent.status === null || isOk(sent.status) ? [] : [`answered ${sent.status}`];
}

/**
 * Groups findings by final fault and by how the server handled the schedule. The first finding of each group has the
 * smallest schedule.
 */
export interface Groups {
  /** @returns an earlier finding that has all faults of this one; undefined for a new finding */
  groupOf(one: Wrong): Finding | undefined;
  add(finding: Finding): void;
}

export function createGroups(): Groups {
  const groups = new Map<string, Finding>();
  return {
    groupOf(one) {
      const found = wrongsOf(one).map((wrong) => groups.get(wrong));
      return found.every(Boolean) ? found[0] : undefined;
    },
    add(finding) {
      for (const wrong of wrongsOf(finding)) if (!groups.has(wrong)) groups.set(wrong, finding);
    },
  };
}

/** Splits an exploration into several, with one finding each. */
export const eachFinding = (exploration: Exploration): Exploration[] =>
  exploration.finding === null
    ? []
    : [exploration.finding, ...exploration.others].map((finding) => ({ ...exploration, finding }));

export function joinSurveys(surveys: readonly Survey[]): Survey {
  const all = surveys.flatMap(({ explorations }) => explorations);
  const names = [...new Set(all.map(({ story }) => story.name))];
  const groups = createGroups();
  const explorations = names.map((name) =>
    mergeExplorations(
      all.filter(({ story }) => story.name === name),
      groups,
    ),
  );
  // A story that one part could not run stays open, even if other parts ran it.
  const unplayed = surveys
    .flatMap((survey) => survey.unplayed)
    .filter(({ name, failed }) => failed || !names.includes(name));
  return {
    explorations,
    unplayed: [...new Map(unplayed.map((one) => [one.name, one])).values()],
    wallMs: Math.max(...surveys.map(({ wallMs }) => wallMs)),
  };
}

function mergeExplorations(parts: readonly Exploration[], groups: Groups): Exploration {
  const [first] = parts as [Exploration];
  const findings = parts
    .flatMap((one) => eachFinding(one).map(({ finding }) => finding!))
    .sort((a, b) => a.run.schedule.length - b.run.schedule.length)
    .filter((finding) => {
      const group = groups.groupOf(finding);
      if (group) group.alike += 1 + finding.alike;
      else groups.add(finding);
      return !group;
    });
  return {
    ...{ ...first, shard: null },
    levels: first.levels.map(({ deviations }, index) => ({
      deviations,
      // A level that any part has not started is incomplete.
      schedules: parts.some(({ levels }) => levels[index]!.schedules === null)
        ? null
        : parts.reduce((total, { levels }) => total + levels[index]!.schedules!, 0),
      ...sumOfCounts(parts.map(({ levels }) => levels[index]!)),
    })),
    ...{ finding: findings[0] ?? null, others: findings.slice(1) },
    flaky: parts.find(({ flaky }) => flaky)?.flaky ?? null,
    stopped: parts.find(({ stopped }) => stopped)?.stopped ?? null,
    wallMs: Math.max(...parts.map(({ wallMs }) => wallMs)),
  };
}
