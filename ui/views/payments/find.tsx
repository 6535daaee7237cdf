import { useSignal } from "@preact/signals";
import { useApp } from "../../components/context.ts";
import { Field } from "../../components/field.tsx";
import { Form } from "../../components/form.tsx";
import { href } from "../../models/router.ts";

/** Opens a payment or a session by its id. */
export function FindById({ prefix }: { prefix: "cs_" | "txn_" }) {
  const { router } = useApp();
  const id = useSignal("");
  return (
    <Form
      class="find"
      onSend={() => {
        if (id.value.trim()) router.go(href(["payments", "story", id.value.trim()]));
      }}
    >
      <Field label="Find by id" type="search" of={id} placeholder={`${prefix}…, then Enter`} />
    </Form>
  );
}
