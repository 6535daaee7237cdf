import { useEffect } from "preact/hooks";
import { count } from "../../models/format.ts";
import { useApp } from "../context.ts";
import { CopyLine } from "../copy.tsx";
import { Dialog } from "../dialog.tsx";
import { Facts } from "../parts.tsx";

/** What an area is called, by its name in the status. */
const AREA_NAMES: Record<string, string> = {
  platform: "Payments platform",
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

/** Where to point a client, with which keys. */
export function Addresses({ onClose }: { onClose: () => void }) {
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
        <h3>API keys, which work only here</h3>
        <Facts
          of={Object.entries(keys).map(([name, key]) => [
            KEY_NOTES[name] ?? name,
            <CopyLine key={name} text={key} what={`the key that ${KEY_NOTES[name] ?? name}`} />,
          ])}
        />
      </div>
    </Dialog>
  );
}
