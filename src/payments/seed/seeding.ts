import catalog from "../../../fixtures/payments/catalog.json" with { type: "json" };
import organizations from "../../../fixtures/payments/organizations.json" with { type: "json" };
import { createDraws, type Draws } from "../../world/draws.ts";
import { DAY, HOUR } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import type { RowOf } from "../fixtures/description.ts";

/** The context shared by all parts of the seed. */
export interface Seeding {
  world: World;
  draws: Draws;
  /** The end of the history, which is the clock's current time. */
  now: number;
  /** An instant near this fraction of the history. */
  at(share: number): number;
}

/** @param days the length of the history in days */
export function beginSeeding(world: World, days: number): Seeding {
  const draws = createDraws(world.random, "fixtures");
  const now = world.clock.now();
  const span = days * DAY;
  const at = (share: number) => now - span + Math.floor(share * span) + draws.between(0, span / 200);
  return { world, draws, now, at };
}

/** The state of a payment link or discount code. Those that are `ending` or `limited` are still open. */
export type OfferState = "open" | "ending" | "limited" | "expired" | "used_up" | "closed";

type Catalog = (typeof catalog.shops)[number];

/** An organization with its catalog (see fixtures/payments/catalog.json). */
export interface Shop extends Omit<Catalog, "links" | "discounts"> {
  organization: (typeof organizations)[number];
  links: [name: string, price: string | null, state: OfferState][];
  discounts: (RowOf<"discount_codes"> & { state: OfferState })[];
}

export const SHOPS = organizations.map((organization, position) => ({
  organization,
  ...catalog.shops[position]!,
})) as unknown as Shop[];

/** A payment link or discount code, and when checkouts can use it. */
export interface Offer<Row = object> {
  /** The fixtures row, without the fields that follow from its state. */
  row: Row;
  state: OfferState;
  opens: number;
  closes: number;
  /** When checkouts used the offer. */
  uses: number[];
}

/** The use limit of a limited offer, which is higher than the number of actual uses. */
const LIMIT = 400;

export function draftOffer<Row>(
  { draws, now }: Seeding,
  row: Row,
  state: OfferState,
  opens: number,
): Offer<Row> {
  const quarter = Math.floor((now - opens) / 4);
  const isOver = state === "expired" || state === "used_up" || state === "closed";
  const closes = isOver
    ? opens + draws.between(quarter, 3 * quarter)
    : now + draws.between(5 * DAY, 40 * DAY);
  return { row, state, opens, closes, uses: [] };
}

/** Whether a checkout, which takes less than an hour, can use an offer. */
export const isOpen = ({ opens, closes }: Offer, at: number): boolean => opens < at && at + HOUR < closes;

/** Completes an offer's row after all its uses are known. */
export const finishOffer = <Row>({ row, state, opens, closes, uses }: Offer<Row>) => ({
  ...row,
  active: state !== "closed",
  ...(state === "limited" && { max_uses: LIMIT }),
  ...(state === "used_up" && uses.length > 0 && { max_uses: uses.length }),
  ...((state === "ending" || state === "expired") && { expires_at: closes }),
  created_at: opens,
  updated_at: Math.max(state === "closed" ? closes : opens, ...uses),
});

/** The relative traffic in each hour of the day (UTC). */
const HOURS = [3, 2, 1, 1, 1, 2, 5, 9, 12, 12, 11, 12, 15, 14, 12, 12, 13, 15, 18, 21, 22, 18, 11, 6];
const WEIGHTED_HOURS = HOURS.flatMap((weight, hour) => Array<number>(weight).fill(hour));

/** Random instants between two given ones, in order, weighted by how active people are at that hour. */
export function instants({ draws }: Seeding, count: number, from: number, to: number): number[] {
  const midnight = Math.floor(from / DAY) * DAY;
  const days = Math.ceil((to - midnight) / DAY);
  const times: number[] = [];
  while (times.length < count) {
    const hour = draws.between(0, days - 1) * DAY + draws.pick(WEIGHTED_HOURS) * HOUR;
    const at = midnight + hour + draws.between(0, HOUR - 1);
    if (at >= from && at < to) times.push(at);
  }
  return times.sort((a, b) => a - b);
}
