import { chainDataArea } from "../chain-data/area.ts";
import { PROVIDER_STATES } from "../chain-data/providers/faults.ts";
import type { Upstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { gameArea } from "../game/area.ts";
import { checkMatch } from "../http/api-faults.ts";
import type { Area, AreaPart } from "../http/area.ts";
import { paymentsArea } from "../payments/area.ts";
import { createWebhookEngine, type WebhookEngine } from "../webhooks/engine.ts";
import { WEBHOOKS } from "../webhooks/part.ts";
import { DELIVER, SUBSCRIBER_FAULTS } from "../webhooks/subscriber-faults.ts";
import type { WorldForm } from "../world/snapshot.ts";
import type { RowRules, ValueRule } from "../world/snapshot-rows.ts";
import type { World } from "../world/world.ts";

export interface AreaContext {
  world: World;
  settings: Settings;
  /** The world's URL, without a trailing slash. */
  origin: () => string;
  /** The world's URL within this process. */
  ownOrigin: () => string;
  upstream: Upstream;
  /** The world's webhook engine. Each area registers its senders there. */
  webhooks: WebhookEngine;
}

export type AnyArea = Area<AreaPart, AreaContext>;

export const AREAS: readonly AnyArea[] = [paymentsArea, chainDataArea, gameArea];

/** Anything that stores rows in a world: the webhook engine and the areas. */
type Stored = Pick<AnyArea, "tables" | "timerKinds" | "rowRules" | "entries">;
const storedBy = (areas: readonly Stored[]): Stored[] => [WEBHOOKS, ...areas];

export const tablesOf = (areas: readonly Stored[]): string[] =>
  storedBy(areas).flatMap(({ tables }) => tables);

type Fields = Record<string, unknown>;

const isIn = (value: unknown, least: number, most: number): boolean =>
  value === undefined || (Number.isInteger(value) && Number(value) >= least && Number(value) <= most);

const isEffect = ({ kind, status }: Fields): boolean =>
  (kind === undefined || (SUBSCRIBER_FAULTS as readonly unknown[]).includes(kind)) && isIn(status, 100, 599);

const isStep = (step: unknown): boolean =>
  typeof step === "object" && step !== null
    ? isEffect(step as Fields)
    : step === DELIVER || isEffect(typeof step === "number" ? { status: step } : { kind: step });

/** Whether a value is a valid `match` for a fault. */
function isMatch(match: unknown): boolean {
  try {
    if (match !== undefined) checkMatch(match as string);
    return match === undefined || typeof match === "string";
  } catch {
    return false;
  }
}

/** Validates faults of subscribers, APIs and providers in foreign snapshots. */
const FAULT_RULE: ValueRule = {
  kind: "fault",
  fits(value) {
    const spec = JSON.parse(String(value)) as Fields;
    const { times, rate, latency, sequence = [], state, match } = spec;
    return (
      isEffect(spec) &&
      isIn(times, 1, 1_000_000) &&
      isIn(latency, 0, 60_000) &&
      (rate === undefined || (typeof rate === "number" && rate >= 0 && rate <= 1)) &&
      (state === undefined || (PROVIDER_STATES as readonly unknown[]).includes(state)) &&
      Array.isArray(sequence) &&
      sequence.every(isStep) &&
      isMatch(match)
    );
  },
};

/** Creates a world's parts: the given areas, plus those that every world includes. */
export const formOf = (areas: readonly Stored[]): WorldForm => ({
  tables: tablesOf(areas),
  timerKinds: storedBy(areas).flatMap(({ timerKinds }) => timerKinds),
  rows: rulesOf(storedBy(areas).map(({ rowRules }) => rowRules)),
});

const rulesOf = (rules: readonly RowRules[]): RowRules => ({
  json: Object.assign({}, ...rules.map(({ json }) => json)),
  values: Object.assign({ "faults.spec": FAULT_RULE }, ...rules.map(({ values }) => values)),
  references: rules.flatMap(({ references }) => references),
  drawn: Object.assign({}, ...rules.map(({ drawn }) => drawn)),
});

export const hasPlatform = (areas: readonly AnyArea[], world: World): boolean =>
  areas.every(({ isIn }) => isIn?.(world) ?? true);

export interface Parts {
  webhooks: WebhookEngine;
  /** The engine, and the areas that are open. */
  all: readonly AreaPart[];
  /** Returns an area that is open, with its own type. */
  of<Part extends AreaPart>(area: Pick<Area<Part>, "name" | "open">): Part;
  open(): Promise<void>;
}

/** Creates a world's webhook engine, which its areas use. */
export function openParts(areas: readonly AnyArea[], place: Omit<AreaContext, "webhooks">): Parts {
  const webhooks = createWebhookEngine({ ...place, settings: place.settings.webhooks });
  const parts = new Map<string, AreaPart>();
  const all: AreaPart[] = [webhooks];
  return {
    webhooks,
    all,
    of: ({ name }) => parts.get(name) as never,
    async open() {
      for (const area of areas) {
        const part = await area.open({ ...place, webhooks });
        parts.set(area.name, part);
        all.push(part);
      }
    },
  };
}
