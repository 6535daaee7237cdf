import { computed, type ReadonlySignal } from "@preact/signals";
import { type Binding, bind } from "./binding.ts";
import { href, type Router } from "./router.ts";

export type Filters = ReturnType<typeof createFilters>;

/** The filters of a list live in the address, so that a filtered list is a link. */
export function createFilters(router: Router, path: string[], names: string[]) {
  const values: ReadonlySignal<Record<string, string>> = computed(() => {
    const { query } = router.route.value;
    return Object.fromEntries(["page", ...names].map((name) => [name, query.get(name) ?? ""]));
  });
  /** Changes some; whatever changes but the page leads to the first page again. */
  function set(change: Record<string, string>): void {
    const page = "page" in change ? {} : { page: "" };
    router.replace(href(path, { ...values.peek(), ...page, ...change }));
  }
  return {
    values,
    page: computed(() => Math.max(1, Number(values.value.page) || 1)),
    set,
    /** A filter as a field changes it. */
    field: (name: string, clean = (text: string) => text): Binding<string> =>
      bind(values.value[name] ?? "", (text) => set({ [name]: clean(text) })),
  };
}

/** Whether a text has each word of a search, whatever their case and order. */
export function hasWords(text: string, search: string): boolean {
  const lower = text.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => lower.includes(word));
}
