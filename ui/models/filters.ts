import { computed, type ReadonlySignal } from "@preact/signals";
import { href, type Router } from "./router.ts";

export type Filters = ReturnType<typeof createFilters>;

/** The filters of a list live in the address, so that a filtered list is a link. */
export function createFilters(router: Router, path: string[], names: string[]) {
  const values: ReadonlySignal<Record<string, string>> = computed(() => {
    const { query } = router.route.value;
    return Object.fromEntries(["page", ...names].map((name) => [name, query.get(name) ?? ""]));
  });
  return {
    values,
    page: computed(() => Math.max(1, Number(values.value.page) || 1)),
    /** Changes some; whatever changes but the page leads to the first page again. */
    set(change: Record<string, string>): void {
      const page = "page" in change ? {} : { page: "" };
      router.replace(href(path, { ...values.peek(), ...page, ...change }));
    },
  };
}
