import { useSignal } from "@preact/signals";
import { attemptName } from "../../../src/story/attempt.ts";
import type { Delivery, Webhook } from "../../api-types.ts";
import { useApp } from "../../components/context.ts";
import { Select } from "../../components/field.tsx";
import { Id } from "../../components/ids.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Empty, Loading } from "../../components/parts.tsx";
import { useReading } from "../../components/use-reading.ts";
import { bind } from "../../models/binding.ts";
import { stamp } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { compareAttempts } from "../../models/webhooks/compare.ts";
import { useWholeEvent } from "./whole-event.ts";

interface CompareProps {
  webhook: Webhook;
  delivery: Delivery;
  model: TimelineModel;
}

/** This attempt beside another one of its event: what differs stands out. */
export function CompareTab({ webhook, delivery, model }: CompareProps) {
  const chosen = useSignal<string | undefined>(undefined);
  const whole = useWholeEvent(model, delivery.event_id);
  const others = model.marks.value.filter(
    ({ eventId, deliveryId }) =>
      eventId === delivery.event_id && deliveryId !== undefined && deliveryId !== delivery.id,
  );
  const other = others.find(({ deliveryId }) => deliveryId === chosen.value) ?? others.at(-1);
  if (!other?.deliveryId && !whole) return <Loading />;
  if (!other?.deliveryId) return <Empty title="This event has no other attempt." />;
  return (
    <div class="stack">
      <Select
        label="With attempt"
        of={bind(
          () => other.deliveryId ?? "",
          (id) => {
            chosen.value = id;
          },
        )}
        options={others.map(
          ({ deliveryId, attempt, trigger, label, at }) =>
            [deliveryId!, `${attemptName(attempt, trigger)}, ${label}, at ${stamp(at)}`] as const,
        )}
      />
      <Comparison key={other.deliveryId} webhook={webhook} delivery={delivery} other={other.deliveryId} />
    </div>
  );
}

function Comparison({ webhook, delivery, other }: { webhook: Webhook; delivery: Delivery; other: string }) {
  const { api } = useApp();
  const reading = useReading(() => api.delivery(webhook, other), [other]);
  return (
    <Loaded of={reading}>
      {(found) => (
        <table class="compare">
          <thead>
            <tr>
              <th scope="col">Part</th>
              <th scope="col">This attempt</th>
              <th scope="col">The other</th>
            </tr>
          </thead>
          <tbody>
            {compareAttempts(delivery, found).map(({ name, left, right, same }) => (
              <tr key={name} data-same={same || undefined}>
                <th scope="row">{name}</th>
                {same ? (
                  <td colSpan={2}>
                    <span class="vh">the same in both: </span>
                    <Id of={left} />
                  </td>
                ) : (
                  <>
                    <td>
                      <Id of={left} />
                    </td>
                    <td>
                      <Id of={right} />
                    </td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Loaded>
  );
}
