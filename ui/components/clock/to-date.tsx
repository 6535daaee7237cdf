import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Advance, Duration } from "../../api-types.ts";
import { part } from "../../models/binding.ts";
import { DAY, stamp } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { type Closable, DialogForm } from "../dialog.tsx";
import { Choice, Field } from "../field.tsx";

type Kind = "to" | "by" | "until";

const HINTS: Record<Kind, string> = {
  to: "In UTC, like the time on the clock.",
  by: "500ms, 30s, 10m, 1h30m, 2d or PT1H.",
  until: "Stops at the first journal entry with this name, such as webhook.disabled.",
};
const LABELS: Record<Kind, string> = { to: "Date and time", by: "Duration", until: "Entry" };

/** Times without a time zone are read as UTC, because the clock displays UTC. */
const asUtc = (text: string): string => {
  const instant = text.trim().replace(" ", "T");
  return /^[^T]*$|(?:z|[+-]\d\d:\d\d)$/i.test(instant) ? instant : `${instant}Z`;
};

/** A form for other advances: to a date, by any duration, or until something happens. */
export function ToDate({ onClose }: Closable) {
  const { api, clock, ledger } = useApp();
  const tomorrow = useMemo(() => stamp(clock.exact() + DAY).slice(0, 16), []);
  const kind = useSignal<Kind>("to");
  const values = useSignal<Record<Kind, string>>({ to: tomorrow, by: "1h30m", until: "webhook.disabled" });
  const value = values.value[kind.value];

  const request = (): Advance => {
    if (kind.value === "to") return { to: asUtc(value) };
    return kind.value === "by" ? { by: value.trim() as Duration } : { until: value.trim() };
  };

  /** Use a dry run first, so invalid input is reported in this form before the clock moves. */
  const advance = async () => {
    await api.preview(request());
    void ledger.advance(request());
    onClose();
  };

  return (
    <DialogForm title="Advance the clock" action="Advance" onSend={advance} onClose={onClose}>
      <Choice
        label="How far"
        of={kind}
        options={[
          ["to", "To a date"],
          ["by", "By a duration"],
          ["until", "Until an entry"],
        ]}
      />
      <Field
        label={LABELS[kind.value]}
        of={part(values, kind.value)}
        param="advance"
        hint={HINTS[kind.value]}
      />
    </DialogForm>
  );
}
