import type { Delivery } from "../../api-types.ts";
import { CodeBlock, Copy } from "../../components/copy.tsx";
import { Headers } from "../../components/headers.tsx";
import { Empty } from "../../components/parts.tsx";
import { curlOf } from "../../models/curl.ts";
import { bytes } from "../../models/format.ts";
import { readable } from "../../models/webhooks/body.ts";

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
        <p>{delivery.error_detail ?? "Nothing came back over this connection."}</p>
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
