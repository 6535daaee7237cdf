import { useApp } from "../../components/context.ts";
import { Empty, Loading } from "../../components/parts.tsx";
import type { ViewProps } from "../view-props.ts";
import { Board } from "./board.tsx";
import { CreateEndpoint } from "./create.tsx";
import { Endpoint } from "./endpoint.tsx";
import "./webhooks.css";

/** The heart: each endpoint, what it got, and what it will get. */
export default function Webhooks({ parts }: ViewProps) {
  const { endpoints } = useApp();
  const [id, ...rest] = parts;
  if (id === "new") return <CreateEndpoint />;
  if (id === undefined) return <Board />;
  if (!endpoints.list.value) return <Loading />;
  const webhook = endpoints.list.value.find((candidate) => candidate.id === id);
  if (webhook) return <Endpoint key={id} webhook={webhook} parts={rest} />;
  return (
    <div class="view">
      <Empty title={`There is no endpoint ${id} any more.`}>
        <a href="#/webhooks">All endpoints</a>
      </Empty>
    </div>
  );
}
