import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field, Input } from './field.tsx';
import { useAct } from './use-act.ts';

interface ConfirmDialogProps {
  open: boolean;
  onClose: () => void;
  title: ReactNode;
  about: ReactNode;
  /** What the button says, such as "Revoke token". */
  action: string;
  /** For what cannot be undone: the text to type first. */
  typed?: string;
  /** Nothing is lost by it. */
  harmless?: boolean;
  /** More to know, or to fill in. */
  children?: ReactNode;
  onConfirm: () => Promise<unknown>;
}

/** Asks before something is destroyed or sent. Stays open, with the reason, if it fails. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  return props.open ? <OpenConfirm {...props} /> : null;
}

function OpenConfirm(props: ConfirmDialogProps) {
  const { onClose, title, about, action, typed, harmless, children, onConfirm } = props;
  const [text, setText] = useState('');
  const { run, busy, error } = useAct(async () => {
    await onConfirm();
    onClose();
  });
  const ready = typed === undefined || text.trim() === typed;
  return (
    <Dialog
      open
      // What has begun cannot be called off, and its outcome is shown here.
      onClose={() => busy || onClose()}
      title={title}
      about={about}
      actions={
        <>
          <Button disabled={busy} onClick={onClose}>
            Cancel
          </Button>
          <Button look={harmless ? 'primary' : 'danger'} disabled={!ready} busy={busy} onClick={run}>
            {action}
          </Button>
        </>
      }
    >
      {(children || typed !== undefined || error) && (
        <div className="flex flex-col gap-4">
          {children}
          {typed !== undefined && (
            <Field
              label={
                <>
                  Type <code className="font-mono text-ink select-all">{typed}</code> to confirm
                </>
              }
            >
              <Input
                value={text}
                readOnly={busy}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            </Field>
          )}
          {error && (
            <p role="alert" className="text-sm text-danger">
              {error.sentence}
            </p>
          )}
        </div>
      )}
    </Dialog>
  );
}
