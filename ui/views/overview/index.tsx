import { useEffect } from "preact/hooks";
import { useApp } from "../../components/context.ts";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Button, Facts, Section } from "../../components/parts.tsx";
import { useDialog } from "../../components/use-dialog.ts";
import { AREA_NAMES, firstSteps, KEY_NOTES } from "../../models/first-steps.ts";
import { count, number } from "../../models/format.ts";
import { EndpointBoard } from "./board.tsx";
import { ResetDialog } from "./reset.tsx";

/** What is running, where, with which keys, and what to do first. */
export default function Overview() {
  const { api, status, readStatus, toasts } = useApp();
  const resetting = useDialog();
  useEffect(() => void readStatus().catch(toasts.fail), []);
  const { organization, seed, world, version, url, share, bases, keys, counts } = status.value;
  return (
    <div class="view overview">
      <header class="view-head">
        <div>
          <h1>{organization.name}</h1>
          <p class="note">
            Sandglass {version} at <b>{url}</b>, world <b>{world}</b>, seed <b>{seed}</b>
          </p>
          {share && (
            <p class="note">
              Shared with other machines by a link
              {share.wrong_tokens > 0 && `; ${count(share.wrong_tokens, "request")} had a wrong token`}
            </p>
          )}
        </div>
        <Button onClick={() => resetting.open(true)}>Reset the world…</Button>
      </header>
      <ul class="counts">
        {Object.entries(counts).map(([name, value]) => (
          <li key={name}>
            <b>{number(value)}</b> {name.replaceAll("_", " ")}
          </li>
        ))}
      </ul>
      <EndpointBoard />
      <div class="columns">
        <Section title="Base addresses" note="Point your client at these.">
          <Facts
            of={Object.entries(bases).map(([area, base]) => [
              AREA_NAMES[area] ?? area,
              base === null ? (
                <span class="note">not in this version</span>
              ) : (
                <CopyLine text={base} what={`the address of ${AREA_NAMES[area] ?? area}`} />
              ),
            ])}
          />
          <p class="links">
            {Object.entries(bases).map(
              ([area, base]) =>
                base !== null && (
                  <a key={area} href={`${area}/reference`}>
                    {AREA_NAMES[area] ?? area} reference
                  </a>
                ),
            )}
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
      <Section title="First steps" note="The same from a shell; each line runs as it stands.">
        <div class="stack">
          {firstSteps(status.value, api.transport.base).map(({ title, command }) => (
            <CodeBlock key={title} text={command} what={title} />
          ))}
        </div>
      </Section>
      {resetting.target.value && <ResetDialog onClose={resetting.close} />}
    </div>
  );
}
