import type { FormEvent, ReactNode, RefObject } from 'react';
import { useId } from 'react';
import { Alert } from './alert.tsx';
import { Button } from './button.tsx';
import { ChangedMeanwhile } from './changed-meanwhile.tsx';
import { Dialog } from './dialog.tsx';
import { useAct } from './use-act.ts';
import { useMarkedFields } from './use-marked-fields.ts';
import type { Meanwhile } from './use-settings.ts';
import { useTyped } from './use-typed.tsx';

interface FormDialogProps {
  title: ReactNode;
  about?: ReactNode;
  /** What the button says, such as "Create token". */
  action: string;
  danger?: boolean;
  wide?: boolean;
  initialFocus?: RefObject<HTMLElement | null>;
  onClose: () => void;
  /** What somebody else saved since it was opened. */
  meanwhile?: Meanwhile | undefined;
  /** `over` replaces what somebody else saved. */
  onSubmit: (over?: boolean) => Promise<unknown>;
  /** The fields. `problem(name)` is what the API said about one of them. */
  children: (problem: (field: string) => string | undefined) => ReactNode;
}

/** A short form in a dialog. Errors of the API appear at their field, or above the fields. */
export function FormDialog({
  title,
  about,
  action,
  danger,
  wide,
  initialFocus,
  onClose,
  meanwhile,
  onSubmit,
  children,
}: FormDialogProps) {
  const id = useId();
  const shown = new Set<string>();
  const typed = useTyped(onClose);
  const { run, busy, error } = useAct(onSubmit);
  const { form } = useMarkedFields(error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void run();
  };
  const fields = children((field) => {
    shown.add(field);
    return error?.about(field);
  });
  const other = error?.besides(shown);
  return (
    <Dialog
      open
      // What has begun cannot be called off, and its outcome is shown here.
      onClose={() => busy || typed.onClose()}
      title={title}
      about={about}
      wide={wide ?? false}
      initialFocus={initialFocus}
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" form={id} look={danger ? 'danger' : 'primary'} busy={busy}>
            {action}
          </Button>
        </>
      }
    >
      <form id={id} ref={form} onSubmit={submit} onInput={typed.onInput} className="flex flex-col gap-4">
        {other !== undefined && <Alert>{other}</Alert>}
        {meanwhile && <ChangedMeanwhile {...meanwhile} busy={busy} onKeep={() => void run(true)} />}
        {fields}
      </form>
      {typed.question}
    </Dialog>
  );
}
