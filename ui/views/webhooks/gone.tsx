import { useApp, useReading } from "../../components/context.ts";
import { Button, Empty, Loaded } from "../../components/parts.tsx";
import { whyLost } from "../../models/lost.ts";
import { href } from "../../models/router.ts";

/** In place of an endpoint that is not there: why not, and the way to have it again. */
export function Gone({ id }: { id: string }) {
  const { api, endpoints, lost, router, toasts } = useApp();
  const known = lost.find(id);
  const since = useReading(() => api.events({ types: "world.*,webhook.deleted", limit: 1_000 }), [id]);
  const register = async () => {
    const made = known && (await toasts.attempt(() => api.createWebhook(known)));
    if (!made) return;
    await endpoints.read();
    router.replace(href(["webhooks", made.id]));
  };
  return (
    <Loaded of={since}>
      {(entries) => (
        <Empty
          title={whyLost(id, entries, known !== undefined)}
          actions={
            known && (
              <Button look="main" onSend={register}>
                Register again
              </Button>
            )
          }
        >
          {known?.url}
        </Empty>
      )}
    </Loaded>
  );
}
