import { useApp } from "./context.ts";
import { Button } from "./parts.tsx";

export function ToastList() {
  const { toasts } = useApp();
  return (
    <section class="toasts" aria-label="Messages">
      {toasts.list.value.map((toast) => (
        <div key={toast.id} class={`toast ${toast.tone}`} role={toast.tone === "bad" ? "alert" : "status"}>
          <div>
            <p>{toast.text}</p>
            {toast.hint && <p class="note">{toast.hint}</p>}
          </div>
          {toast.undo && <Button onSend={() => toasts.undo(toast)}>Undo</Button>}
          <Button look="quiet" icon="cross" aria-label="Dismiss" onClick={() => toasts.dismiss(toast.id)} />
        </div>
      ))}
    </section>
  );
}
