import { useApp } from "../../components/context.ts";
import { Empty, Loading, Problem } from "../../components/parts.tsx";
import { useReading } from "../../components/use-reading.ts";
import { isDeliveryId } from "../../models/ids.ts";
import { href } from "../../models/router.ts";
import type { ViewProps } from "../registry.ts";
import { Board } from "./board.tsx";
import { CreateEndpoint } from "./create.tsx";
import { Endpoint } from "./endpoint.tsx";
import "./webhooks.css";
import "./attempt.css";

/** Goes on to an attempt of which only its own id is known. */
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

/** The heart: each endpoint, what it got, and what it will get. */
export default function Webhooks({ parts }: ViewProps) {
  const { endpoints } = useApp();
  const [id, ...rest] = parts;
  if (id === "new") return <CreateEndpoint />;
  if (id === undefined) return <Board />;
  if (isDeliveryId(id)) return <FindAttempt key={id} id={id} />;
  if (!endpoints.list.value) return <Loading />;
  const webhook = endpoints.list.value.find((candidate) => candidate.id === id);
  if (webhook) return <Endpoint key={id} webhook={webhook} parts={rest} />;
  return (
    <div class="view">
      <Empty title={`The endpoint ${id} no longer exists.`}>
        <a href="#/webhooks">All endpoints</a>
      </Empty>
    </div>
  );
}
