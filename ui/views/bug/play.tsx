import { useSignal } from "@preact/signals";
import { useApp, useReading } from "../../components/context.ts";
import { Select } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { Button, Problem } from "../../components/parts.tsx";
import { useSubmit } from "../../components/sending.ts";
import { bind } from "../../models/binding.ts";
import { PLATFORM, senderTitle } from "../../models/format.ts";
import { href } from "../../models/router.ts";
import { rootOf, worldBase } from "../../models/worlds.ts";

/** A panel next to the report that replays a finding's schedule in a fork against a running server. */
export function PlayAFinding() {
  const { api, endpoints } = useApp();
  const findings = useReading(api.findings);
  const chosen = useSignal("");
  const against = useSignal("");
  const all = findings.value.value ?? [];
  const finding = all.find(({ name }) => name === chosen.value) ?? all[0];
  const sender = finding?.sender ?? PLATFORM;
  // List the user's own endpoints before the demo shop's.
  const takers = [...endpoints.own.value, ...endpoints.seeded.value].filter(
    (one) => one.sender === sender && one.status === "enabled",
  );
  const endpoint = takers.find(({ id }) => id === against.value) ?? takers[0];
  const { error, send } = useSubmit(async () => {
    const { world, webhook_id: id } = await api.playFinding(finding!.name, endpoint!.id);
    location.assign(`${worldBase(rootOf(api.base), world)}${href(["webhooks", id], { replay: "1" })}`);
  });
  if (findings.error.value) return <Problem error={findings.error.value} />;
  if (!finding) return null;
  const canPlay = finding.needs === null && endpoint !== undefined;
  return (
    <section class="sheet" aria-label="Play a finding">
      <Form class="flow play" aria-label="Finding" onSend={send}>
        <h2>Play this finding</h2>
        <Select
          label="Finding"
          of={bind(finding.name, (next) => (chosen.value = next))}
          options={all.map(({ name }) => [name, name])}
        />
        {canPlay && (
          <>
            <Select
              label="Against"
              of={bind(endpoint.id, (next) => (against.value = next))}
              options={takers.map(({ id, url }) => [id, url])}
            />
            <Button look="main" type="submit">
              Play
            </Button>
          </>
        )}
      </Form>
      <p class="note">
        {finding.story}: <code>{finding.schedule.join(", ") || "as usual"}</code>.
        {finding.needs === null &&
          " Step by step on the timeline of a fork, against your server as it is: the server is neither copied nor restored, so it remembers what it received before."}
      </p>
      {finding.needs !== null ? (
        <p>
          {finding.needs}: <code>npx sandglass run {finding.name}</code>
        </p>
      ) : (
        !endpoint && (
          <p>
            No enabled endpoint gets webhooks of {senderTitle(sender)}.{" "}
            <a href={href(["webhooks", "new"])}>Register your server</a>
          </p>
        )
      )}
      {error.value && <Problem error={error.value} />}
    </section>
  );
}
