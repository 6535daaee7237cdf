import { useEffect } from "preact/hooks";
import { useApp, useReading } from "../../components/context.ts";
import { Loading, Problem, Unread } from "../../components/parts.tsx";
import { isDeliveryId } from "../../models/ids.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { CreateEndpoint } from "./create.tsx";
import { Endpoint } from "./endpoint.tsx";
import { Gone } from "./gone.tsx";
import "./webhooks.css";
import "./attempt.css";

/** Redirects to an attempt when only its id is known. */
function FindAttempt({ id }: { id: string }) {
  const { api, router } = useApp();
  const reading = useReading(async () => {
    const { webhook_id: webhook } = await api.delivery(id);
    router.replace(href(["webhooks", webhook, id]));
  }, [id]);
  return (
    <div class="view">{reading.error.value ? <Problem error={reading.error.value} /> : <Loading />}</div>
  );
}

/** The main view: an endpoint with its past and planned deliveries. */
export default function Webhooks({ parts }: ViewProps) {
  const { endpoints, router } = useApp();
  const [id, ...rest] = parts;
  useEffect(() => {
    if (id === undefined) router.replace("#/");
  }, [id]);
  if (id === undefined) return null;
  if (id === "new") return <CreateEndpoint />;
  if (isDeliveryId(id)) return <FindAttempt key={id} id={id} />;
  const webhook = endpoints.find(id);
  if (webhook) return <Endpoint key={id} webhook={webhook} parts={rest} />;
  if (endpoints.error.value || !endpoints.list.value) return <Unread of={endpoints} />;
  return (
    <div class="view">
      <Gone key={id} id={id} />
    </div>
  );
}
