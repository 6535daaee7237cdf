import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Status } from "../api-types.ts";

export type Organization = ReturnType<typeof createOrganization>;

/** The organization whose payments are looked at: the first, until another is chosen. */
export function createOrganization(status: ReadonlySignal<Status>) {
  const chosen = signal<string | undefined>(undefined);
  /** Another world need not have the one that was chosen. */
  const asked = computed(() => status.value.organizations.find(({ id }) => id === chosen.value)?.id);
  return {
    /** The one that was chosen, as calls of the platform name it; undefined for the first. */
    asked,
    id: computed(() => asked.value ?? status.value.organization.id),
    /** All of them, the first one first. */
    all: computed(() => status.value.organizations),
    nameOf: (id: string): string => status.value.organizations.find((one) => one.id === id)?.name ?? id,
    choose(id: string): void {
      chosen.value = id;
    },
  };
}
