import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Delivery, DeliveryDetails, Webhook } from "../../api-types.ts";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Choice } from "../../components/field.tsx";
import { Empty, Facts, Pill } from "../../components/parts.tsx";
import { senderTitle } from "../../models/format.ts";
import {
  checkIn,
  LANGUAGE_NAMES,
  LANGUAGES,
  type Language,
  signatureOf,
  signHere,
} from "../../models/webhooks/signature.ts";

interface SignatureProps {
  delivery: DeliveryDetails;
  webhook: Webhook;
}

/** Explains the platform's signature. For other senders, it refers to the sender file. */
export function Signature({ delivery, webhook: { secret, sender } }: SignatureProps) {
  if (sender === "platform") return <PlatformSignature delivery={delivery} secret={secret} />;
  return (
    <div class="stack">
      <p>
        Made as {senderTitle(sender)} signs its webhooks. The header is among those of the request; check it
        before the body is parsed.
      </p>
      <Facts
        of={[
          ["Secret", <CopyLine key="secret" text={secret} what="the signing secret" />],
          [
            "Made with this secret",
            <Pill key="verdict" tone={delivery.signature === "valid" ? "good" : "bad"}>
              {delivery.signature === "valid" ? "yes" : delivery.signature}
            </Pill>,
          ],
        ]}
      />
    </div>
  );
}

/** Shows how the signature is computed, computes it again in the browser, and offers code in three languages. */
function PlatformSignature({ delivery, secret }: { delivery: Delivery; secret: string }) {
  const language = useSignal<Language>("shell");
  const here = useSignal<string | undefined>(undefined);
  const signature = signatureOf(delivery);
  useEffect(() => {
    void signHere(delivery.request_body, secret).then((made) => (here.value = made));
  }, [delivery.request_body, secret]);

  if (!signature) return <Empty title="This request has no signature." />;
  return (
    <div class="stack">
      <p>
        The hex HMAC-SHA256 of the raw body, byte for byte as it was sent, keyed with the whole secret,{" "}
        <code>whsec_</code> included. Check it before the body is parsed.
      </p>
      <Facts
        of={[
          [signature.header, <CopyLine key="signature" text={signature.value} what="the signature" />],
          ["Secret", <CopyLine key="secret" text={secret} what="the signing secret" />],
          here.value !== undefined && [
            "Computed here",
            <Pill key="here" tone={here.value === signature.value ? "good" : "bad"}>
              {here.value === signature.value ? "the same" : "another"}
            </Pill>,
          ],
        ]}
      />
      <Choice
        label="Language of the check"
        of={language}
        options={LANGUAGES.map((name) => [name, LANGUAGE_NAMES[name]] as const)}
      />
      <CodeBlock
        text={checkIn(language.value, delivery, secret)}
        what={`the check in ${LANGUAGE_NAMES[language.value]}`}
        label="Runs as it is"
      />
    </div>
  );
}
