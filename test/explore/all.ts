import { apply, makeShop } from "./handlers.ts";

/** A shop with three bugs, in which the named bugs are fixed. */
export const faultyShop = (...fixed: ("cancels" | "repeats" | "tests")[]) =>
  makeShop((event, shop, seen) => {
    if (event.isTest && fixed.includes("tests")) return undefined;
    if (event.isTest) {
      shop.orders.test = { payments: 1, status: "paid" };
      return undefined;
    }
    if (event.type === "checkout.expired" && !fixed.includes("cancels"))
      shop.orders[event.order] = { payments: 0, ...shop.orders[event.order], status: "cancelled" };
    if (seen.has(event.key) && fixed.includes("repeats")) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

export const LATE = ["--story", "late-payment", "--deviations", "1"];
