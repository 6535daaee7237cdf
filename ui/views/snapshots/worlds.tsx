import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Dialog, DialogForm } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { Button, ButtonLink, Empty, Loaded, Pill, Section } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { part } from "../../models/binding.ts";
import { stamp } from "../../models/format.ts";
import { DEFAULT_WORLD, type World } from "../../models/snapshots/api.ts";
import { lastName, nameProblem, type Snapshots } from "../../models/snapshots/snapshots.ts";
import { modeWords, type Worlds, worldNow } from "../../models/snapshots/worlds.ts";

interface WorldListProps {
  worlds: Worlds;
  snapshots: Snapshots;
  /** The world of this page. */
  current: string;
}

/** The sandboxes of this server, side by side. */
export function WorldList({ worlds, snapshots, current }: WorldListProps) {
  const making = useDialog<{ from?: string }>();
  const ending = useDialog<string>();
  const { list } = worlds;
  return (
    <Section
      title="Worlds"
      note="Each has its own data, clock, keys and journal, and shares nothing with the others but snapshots."
      actions={
        <Button look="main" icon="plus" onClick={() => making.open({})}>
          New world…
        </Button>
      }
    >
      <Loaded of={list}>
        {({ worlds: all }) => (
          <ul class="rows" aria-label="Worlds">
            {all.map((world) => (
              <Row
                key={world.name}
                world={world}
                worlds={worlds}
                current={world.name === current}
                onFork={() => making.open({ from: world.name })}
                onEnd={() => ending.open(world.name)}
              />
            ))}
          </ul>
        )}
      </Loaded>
      {list.value.value?.worlds.length === 1 && (
        <Empty title="This is the only world.">
          Fork it to try something out beside it, or give each test a world of its own: nothing that happens
          there affects this one.
        </Empty>
      )}
      {making.target.value && (
        <NewWorldDialog worlds={worlds} from={making.target.value.from} onClose={making.close} />
      )}
      {ending.target.value !== undefined && (
        <EndDialog
          name={ending.target.value}
          worlds={worlds}
          onEnded={snapshots.list.read}
          onClose={ending.close}
        />
      )}
    </Section>
  );
}

interface RowProps {
  world: World;
  worlds: Worlds;
  current: boolean;
  onFork: () => void;
  onEnd: () => void;
}

function Row({ world, worlds, current, onFork, onEnd }: RowProps) {
  const { clock } = useApp();
  const { name, seed } = world;
  const { mode, rate } = clock.state.value;
  const shown = current ? { ...world, clock: { ...world.clock, mode, rate } } : world;
  return (
    <li class="row snapshot world" aria-label={name}>
      <div class="row-main">
        {current ? <b>{name}</b> : <a href={worlds.hrefOf(name)}>{name}</a>}
        <p class="note">seed {seed}</p>
      </div>
      {current && <Pill tone="good">this page</Pill>}
      <span class="world-clock">
        {stamp(current ? clock.second.value : worldNow(world, worlds.since.value))}
        <span class="note"> {modeWords(shown)}</span>
      </span>
      <div class="actions">
        <Button onClick={onFork} aria-label={`Fork ${name}`}>
          Fork…
        </Button>
        {!current && name !== DEFAULT_WORLD && (
          <Button look="quiet" onClick={onEnd} aria-label={`End ${name}`}>
            End…
          </Button>
        )}
      </div>
    </li>
  );
}

interface EndDialogProps {
  name: string;
  worlds: Worlds;
  onEnded: () => Promise<void>;
  onClose: () => void;
}

/** Asks before a world ends. */
function EndDialog({ name, worlds, onEnded, onClose }: EndDialogProps) {
  const end = async () => {
    await worlds.end(name);
    await onEnded();
    onClose();
  };
  return (
    <DialogForm title={`End the world ${name}`} action="End it" look="danger" onSend={end} onClose={onClose}>
      <p>Everything in it is deleted. Calls to it then get a 404.</p>
      <p class="note">
        It is saved as the snapshot <b>{lastName(name)}</b> first, so you can undo this.
      </p>
    </DialogForm>
  );
}

interface NewWorldDialogProps {
  worlds: Worlds;
  /** The world or snapshot to go on from; without it the world begins with a seed. */
  from?: string | undefined;
  onClose: () => void;
}

/** A second world beside this one: from a seed, from fixtures or a scenario, or going on from what there is. */
export function NewWorldDialog({ worlds, from, onClose }: NewWorldDialogProps) {
  const { status } = useApp();
  const draft = useSignal({ name: "", from: from ?? "", seed: "", startAt: "" });
  const made = useSignal<string | undefined>(undefined);
  const problem = nameProblem(draft.value.name.trim());
  const create = async () => {
    if (problem) return;
    const filled = Object.entries(draft.value)
      .map(([name, value]) => [name, value.trim()] as const)
      .filter(([, value]) => value !== "");
    made.value = (await worlds.create(Object.fromEntries(filled))).world;
  };
  if (made.value !== undefined)
    return (
      <Dialog title={`The world ${made.value}`} onClose={onClose}>
        <p>It has its own data, clock and journal, and its own page.</p>
        <div class="actions">
          <ButtonLink look="main" to={worlds.hrefOf(made.value)}>
            Open its page
          </ButtonLink>
          <Button onClick={onClose}>Stay here</Button>
        </div>
      </Dialog>
    );
  return (
    <DialogForm
      title={from === undefined ? "New world" : `Fork ${from}`}
      action={from === undefined ? "Create world" : "Fork"}
      onSend={create}
      onClose={onClose}
    >
      {from !== undefined && (
        <p>
          The new world begins as a copy of <b>{from}</b>, with its history. What happens in one of them does
          not change the other.
        </p>
      )}
      <Field
        label="Name of the world"
        of={part(draft, "name")}
        error={problem}
        placeholder="generated if left empty"
        hint="Its address is /w/ and this name."
      />
      {from === undefined && (
        <>
          <Field
            label="Begins with"
            of={part(draft, "from")}
            placeholder="the seed's data"
            hint="A folder of fixtures, a scenario (where it ends), a snapshot, or a world to copy. Paths are relative to the folder where Sandglass was started."
          />
          <Field
            label="Seed"
            of={part(draft, "seed")}
            placeholder={status.value.seed}
            hint="The same seed gives the same data; empty creates only organizations and keys."
          />
          <Field
            label="Starts at"
            of={part(draft, "startAt")}
            placeholder="2026-01-15T09:00:00Z"
            hint="Virtual time, ISO 8601. Left empty, it is the server's start."
          />
        </>
      )}
    </DialogForm>
  );
}
