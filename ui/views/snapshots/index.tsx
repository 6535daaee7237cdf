import { useEffect, useMemo } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { Button, ViewHead } from "../../components/parts.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { href } from "../../models/router.ts";
import { createSnapshotApi } from "../../models/snapshots/api.ts";
import { createSnapshots } from "../../models/snapshots/snapshots.ts";
import { Worlds } from "../../models/snapshots/worlds.ts";
import type { ViewProps } from "../registry.ts";
import { SnapshotList } from "./list.tsx";
import { ResetDialog } from "./reset.tsx";
import { SaveForm, Upload } from "./save.tsx";
import { WorldList } from "./worlds.tsx";
import "./snapshots.css";

const TABS = [
  ["saved", "Snapshots"],
  ["worlds", "Worlds"],
] as const;

/** Whole worlds: saved, taken back, and side by side. */
export default function SnapshotsView({ parts: [tab = "saved"] }: ViewProps) {
  const { api: control, live, machine, status, toasts } = useApp();
  const api = useMemo(() => createSnapshotApi(control.transport), [control]);
  const resetting = useDialog();
  const world = status.value.world;
  const snapshots = useMemo(() => createSnapshots(api, toasts), [api]);
  const worlds = useModel(() => new Worlds(api, toasts, machine, control.transport.base), [api]);
  useEffect(() => {
    const read = () => {
      void snapshots.list.read();
      void worlds.list.read();
    };
    read();
    addEventListener("focus", read);
    const stop = live.onReplaced(read);
    return () => {
      removeEventListener("focus", read);
      stop();
    };
  }, [snapshots, worlds]);
  return (
    <div class="view tabbed">
      <ViewHead
        title="Snapshots"
        note="A snapshot is a whole world: data, clock, pending timers, chance and faults. Restore it, share it as a file, or start another world from it."
      >
        <Button onClick={() => resetting.open(true)}>Reset the world…</Button>
      </ViewHead>
      <Tabs
        label="Snapshots and worlds"
        current={tab}
        tabs={TABS}
        hrefOf={(name) => href(["snapshots", name])}
      />
      {tab === "worlds" ? (
        <WorldList worlds={worlds} snapshots={snapshots} current={world} />
      ) : (
        <div class="stack">
          <div class="fit snapshot-tools">
            <SaveForm snapshots={snapshots} />
            <Upload snapshots={snapshots} />
          </div>
          <SnapshotList snapshots={snapshots} worlds={worlds} />
        </div>
      )}
      {resetting.target.value && <ResetDialog onClose={resetting.close} />}
    </div>
  );
}
