import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { part } from "../../models/binding.ts";
import { count } from "../../models/format.ts";
import { nameProblem, rootOf, saveWorld, worldBase } from "../../models/worlds.ts";
import { useApp, useReading } from "../context.ts";
import { CopyLine } from "../copy.tsx";
import { type Closable, Dialog, DialogForm } from "../dialog.tsx";
import { Field } from "../field.tsx";
import { Button, Empty, Facts, Loaded, Text, Time } from "../parts.tsx";

export function SaveDialog({ onClose }: Closable) {
  const { api, toasts } = useApp();
  const name = useSignal("");
  const problem = useSignal<string>();
  const save = async () => {
    problem.value = await saveWorld(api, toasts, name.value.trim());
    if (problem.value === undefined) onClose();
  };
  return (
    <DialogForm title="Save this world" action="Save" onSend={save} onClose={onClose}>
      <Field
        label="Snapshot name"
        of={name}
        placeholder="generated if left empty"
        error={problem.value}
        hint="Data, clock, planned retries, randomness, faults and journal. Without --data-dir it lasts until the server stops."
      />
    </DialogForm>
  );
}

/** Lists snapshots, the latest first. Clicking a snapshot restores it; Undo reverts that. */
export function RestoreDialog({ onClose }: Closable) {
  const { api, toasts } = useApp();
  const list = useReading(api.snapshots);
  const restore = (name: string) => async () => {
    await toasts.attempt(async () => {
      await api.restoreSnapshot(name);
      toasts.done(`The world was restored to ${name}.`, api.undo);
    });
    onClose();
  };
  const remove = (name: string) => async () => {
    await toasts.attempt(() => api.removeSnapshot(name));
    await list.read();
  };
  return (
    <Dialog title="Restore a saved world" onClose={onClose}>
      <Loaded of={list}>
        {(all) =>
          all.length === 0 ? (
            <Empty title="Nothing is saved yet.">
              Save this world, then make a payment or advance the clock. Restore brings all of it back.
            </Empty>
          ) : (
            <ul class="rows snapshots" aria-label="Snapshots, latest first">
              {[...all].reverse().map(({ name, now, problem }) => (
                <li key={name} class="row">
                  <div class="row-main">
                    <Text as="b" of={name} />
                    <p class={problem === null ? "note" : "field-error"}>
                      {problem ?? <Time at={now!} exact />}
                    </p>
                  </div>
                  <Button disabled={problem !== null} onSend={restore(name)} aria-label={`Restore ${name}`}>
                    Restore
                  </Button>
                  <Button look="quiet" onSend={remove(name)} aria-label={`Delete ${name}`}>
                    Delete
                  </Button>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Dialog>
  );
}

/** Creates another world from a seed and a start date, or from fixtures, a scenario, a snapshot or another world. */
export function NewWorldDialog({ onClose }: Closable) {
  const { api, status } = useApp();
  const draft = useSignal({ name: "", from: "", seed: "", startAt: "" });
  const problem = nameProblem(draft.value.name.trim());

  const create = async () => {
    if (problem) return;
    const filled = Object.entries(draft.value)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "");
    const { world } = await api.createWorld(Object.fromEntries(filled));
    location.assign(worldBase(rootOf(api.base), world));
  };
  const field = (name: keyof typeof draft.value, label: string, placeholder: string, hint: string) => (
    <Field
      label={label}
      of={part(draft, name)}
      param={name}
      placeholder={placeholder}
      hint={hint}
      error={name === "name" ? problem : undefined}
    />
  );
  return (
    <DialogForm title="New world" action="Create and open" onSend={create} onClose={onClose}>
      {field("name", "Name", "generated if left empty", "The world's address is /w/ followed by this name.")}
      {field(
        "startAt",
        "Start date",
        "2026-01-15T09:00:00Z",
        "Virtual time, ISO 8601. Default: the server's starting time.",
      )}
      {field("seed", "Seed", status.value.seed, "The same seed gives the same data.")}
      {field(
        "from",
        "Begins with",
        "the seed's data",
        "A fixtures folder, a scenario (its end state), a snapshot, or a world to copy.",
      )}
    </DialogForm>
  );
}

/** The titles of areas, by each area's name in the status. */
const AREA_NAMES: Record<string, string> = {
  platform: "Sandglass payments",
  data: "Chain data",
  game: "Game launcher",
};

const KEY_NOTES: Record<string, string> = {
  write: "reads and writes",
  read: "reads only",
  expired: "has expired",
  revoked: "was revoked",
  other: "writes for a second organization",
};

/** Shows the URLs and keys that a client needs. */
export function Addresses({ onClose }: Closable) {
  const { status, readStatus, toasts } = useApp();
  useEffect(() => void readStatus().catch(toasts.fail), []);
  const { seed, world, version, url, share, bases, keys } = status.value;
  return (
    <Dialog title="Addresses and keys" onClose={onClose}>
      <div class="stack">
        <p class="note">
          Sandglass {version} at {url}, world {world}, seed {seed || "empty"}.
          {share &&
            ` Shared with other machines by a link${share.wrong_tokens > 0 ? `; ${count(share.wrong_tokens, "request")} had a wrong token` : ""}.`}
        </p>
        <Facts
          of={Object.entries(bases).map(([area, base]) => [
            AREA_NAMES[area]!,
            <CopyLine key={area} text={base} what={`the address of ${AREA_NAMES[area]}`} />,
          ])}
        />
        <p class="flow links">
          {Object.keys(bases).map((area) => (
            <a key={area} href={`${area}/reference`}>
              {AREA_NAMES[area]} reference
            </a>
          ))}
          <a href="_sandbox/reference">Control API reference</a>
        </p>
        {keys && <h3>API keys, which work only here</h3>}
        <Facts
          of={Object.entries(keys ?? {}).map(([name, key]) => [
            KEY_NOTES[name] ?? name,
            <CopyLine key={name} text={key} what={`the key that ${KEY_NOTES[name] ?? name}`} />,
          ])}
        />
      </div>
    </Dialog>
  );
}
