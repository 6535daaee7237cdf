import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Delivery, DeliveryStory, Webhook } from "../../api-types.ts";
import { CodeBlock, Copy, CopyLine } from "../../components/copy.tsx";
import { Choice } from "../../components/field.tsx";
import { Headers } from "../../components/ids.tsx";
import { Empty, Facts, Pill } from "../../components/parts.tsx";
import { curlOf } from "../../models/curl.ts";
import { bytes } from "../../models/format.ts";
import { readable } from "../../models/webhooks/attempt.ts";
import {
  checkIn,
  LANGUAGE_NAMES,
  LANGUAGES,
  type Language,
  signatureOf,
  signHere,
} from "../../models/webhooks/signature.ts";

/** The request again, with its signature. */
const curlOfDelivery = ({ url, request_headers: headers, request_body: body }: Delivery): string =>
  curlOf({ method: "POST", url, headers, body });

export function RequestTab({ delivery }: { delivery: Delivery }) {
  return (
    <div class="stack">
      <p class="actions">
        <code class="request-line">POST {delivery.url}</code>
        <Copy text={curlOfDelivery(delivery)} what="the request as a curl line" label="Copy as curl" />
      </p>
      <Headers of={delivery.request_headers} label="Headers of the request" />
      <CodeBlock text={readable(delivery.request_body)} what="the body" label="Body" />
    </div>
  );
}

export function ResponseTab({ delivery }: { delivery: Delivery }) {
  const {
    response_code: code,
    response_headers: headers,
    response_body: body,
    response_size: size,
  } = delivery;
  if (code === null)
    return (
      <Empty title="There was no answer.">
        {delivery.error_detail ?? "Nothing came back over this connection."}
      </Empty>
    );
  return (
    <div class="stack">
      <p>
        Status <b>{code}</b>
        {size !== null && <span class="note">, body of {bytes(size)}</span>}
      </p>
      {headers ? (
        <Headers of={headers} label="Headers of the response" />
      ) : (
        <p class="note">A simulated answer has no headers and no body.</p>
      )}
      {body && (
        <CodeBlock
          text={delivery.response_body_encoding === "base64" ? body : readable(body)}
          what="the answer"
          label={delivery.response_body_encoding === "base64" ? "Body, as base64" : "Body"}
        />
      )}
    </div>
  );
}

interface SignatureProps {
  delivery: DeliveryStory;
  webhook: Webhook;
}

/** The platform's signature is explained; how another sender signs is in its file. */
export function SignatureTab({ delivery, webhook: { secret, sender } }: SignatureProps) {
  if (sender === "platform") return <PlatformSignature delivery={delivery} secret={secret} />;
  return (
    <div class="stack">
      <p>
        Made as {sender} signs its webhooks. The header is among those of the request; check it before the
        body is parsed.
      </p>
      <Facts
        of={[
          ["Secret", <CopyLine key="secret" text={secret} what="the signing secret" />],
          [
            "With this secret",
            <Pill key="verdict" tone={delivery.signature === "valid" ? "good" : "bad"}>
              {delivery.signature}
            </Pill>,
          ],
        ]}
      />
    </div>
  );
}

/** How the signature is made, made again here, and in three languages to take away. */
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
