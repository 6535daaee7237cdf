import { chainDataArea } from "../chain-data/area.ts";
import type { DATA } from "../chain-data/name.ts";
import type { Upstream } from "../chain-data/providers/upstream.ts";
import type { Settings } from "../config/config.ts";
import { gameArea } from "../game/area.ts";
import type { GAME } from "../game/name.ts";
import type { Area, AreaPart } from "../http/area.ts";
import { paymentsArea } from "../payments/area.ts";
import type { PLATFORM } from "../payments/name.ts";
import type { WorldForm } from "../world/snapshot.ts";
import type { World } from "../world/world.ts";
import { FAULT_RULE } from "./fault-rule.ts";

export interface AreaContext {
  world: World;
  settings: Settings;
  /** The address of the world, without a trailing slash. */
  origin: () => string;
  /** The address of the world for this process. */
  ownOrigin: () => string;
  upstream: Upstream;
}

export type AnyArea = Area<AreaPart, AreaContext>;

export const AREAS: readonly AnyArea[] = [paymentsArea, chainDataArea, gameArea];

export type AreaName = typeof PLATFORM | typeof DATA | typeof GAME;

export const tablesOf = (areas: readonly AnyArea[]): string[] => areas.flatMap(({ tables }) => tables);

/** The form of a world with these areas, in addition to what every world has. */
export const formOf = (areas: readonly AnyArea[]): WorldForm => ({
  tables: tablesOf(areas),
  timerKinds: areas.flatMap(({ timerKinds }) => timerKinds),
  rows: {
    json: Object.assign({}, ...areas.map(({ rowRules }) => rowRules.json)),
    values: Object.assign({ "faults.spec": FAULT_RULE }, ...areas.map(({ rowRules }) => rowRules.values)),
    references: areas.flatMap(({ rowRules }) => rowRules.references),
    drawn: Object.assign({}, ...areas.map(({ rowRules }) => rowRules.drawn)),
  },
});

export function openParts(areas: readonly AnyArea[], context: AreaContext) {
  const parts = new Map(areas.map((area) => [area.name, area.open(context)]));
  return {
    all: [...parts.values()],
    /** The part of an area, with that area's type. */
    of: <Part extends AreaPart>({ name }: Pick<Area<Part>, "name" | "open">): Part => parts.get(name) as Part,
  };
}
