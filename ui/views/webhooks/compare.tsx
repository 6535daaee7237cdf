import { useSignal } from "@preact/signals";
import { attemptCode, attemptName } from "../../../src/timeline/attempt.ts";
import type { Delivery, DeliveryStory } from "../../api-types.ts";
import { useApp, useReading } from "../../components/context.ts";
import { Select } from "../../components/field.tsx";
import { Id } from "../../components/ids.tsx";
import { Empty, Loaded } from "../../components/parts.tsx";
import { bind } from "../../models/binding.ts";
import { stamp, toMs } from "../../models/format.ts";
import { compareAttempts } from "../../models/webhooks/compare.ts";

/** This attempt beside another one of its event: what differs stands out. */
export function CompareTab({ delivery }: { delivery: DeliveryStory }) {
  const chosen = useSignal<string | undefined>(undefined);
  const others = delivery.event_attempts.filter(({ delivery_id: id }) => id !== delivery.id);
  const other = others.find(({ delivery_id: id }) => id === chosen.value) ?? others.at(-1);
  if (!other) return <Empty title="This event has no other attempt." />;
  return (
    <div class="stack">
      <Select
        label="With attempt"
        of={bind(other.delivery_id, (id) => (chosen.value = id))}
        options={others.map((one) => {
          const name = attemptName(one.attempt, one.trigger);
          return [
            one.delivery_id,
            `${name}, ${attemptCode(one)}, at ${stamp(toMs(one.started_at))}`,
          ] as const;
        })}
      />
      <Comparison key={other.delivery_id} delivery={delivery} other={other.delivery_id} />
    </div>
  );
}

function Comparison({ delivery, other }: { delivery: Delivery; other: string }) {
  const { api } = useApp();
  const reading = useReading(() => api.delivery(other), [other]);
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
                <td colSpan={same ? 2 : 1}>
                  {same && <span class="vh">the same in both: </span>}
                  <Id of={left} />
                </td>
                {!same && (
                  <td>
                    <Id of={right} />
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Loaded>
  );
}
