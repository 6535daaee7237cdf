import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Facts, Section, ViewHead } from "../../components/parts.tsx";
import { AREA_NAMES, firstSteps, KEY_NOTES } from "../../models/first-steps.ts";
import { count, number } from "../../models/format.ts";

/** Where to point a client, with which keys, and what is there. */
export default function Connect() {
  const { api, status, readStatus, toasts } = useApp();
  useEffect(() => void readStatus().catch(toasts.fail), []);
  const { seed, world, version, url, share, bases, keys, counts } = status.value;
  return (
    <div class="view">
      <ViewHead
        title="Connect"
        note={`Sandglass ${version} at ${url}, world ${world}, seed ${seed || "empty"}.`}
      />
      {share && (
        <p class="note">
          Shared with other machines by a link
          {share.wrong_tokens > 0 && `; ${count(share.wrong_tokens, "request")} had a wrong token`}
        </p>
      )}
      <div class="fit columns">
        <Section title="Base addresses" note="Point your client at these.">
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
        </Section>
        <Section title="API keys" note="They are made up, and work only here.">
          <Facts
            of={Object.entries(keys).map(([name, key]) => [
              KEY_NOTES[name] ?? name,
              <CopyLine key={name} text={key} what={`the key that ${KEY_NOTES[name] ?? name}`} />,
            ])}
          />
        </Section>
      </div>
      <Section title="First steps" note="The same in a shell. Paste any line.">
        <div class="stack">
          {firstSteps(status.value, api.transport.base).map(({ title, command }) => (
            <CodeBlock key={title} text={command} what={title} />
          ))}
        </div>
      </Section>
      <Section title="What is in this world">
        <ul class="counts">
          {Object.entries(counts).map(([name, value]) => (
            <li key={name}>
              <b>{number(value)}</b> {name.replaceAll("_", " ")}
            </li>
          ))}
        </ul>
      </Section>
    </div>
  );
}
