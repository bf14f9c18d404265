import { type ReactNode, useState } from 'react';
import { useDraft } from '../api/session.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

interface Typed {
  /** For the form: from now on, there is something to lose. */
  onInput: () => void;
  /** For a click beside the dialog and the Escape key, which are easily pressed by mistake. */
  onClose: () => void;
  /** To show inside the dialog. */
  question: ReactNode;
}

/** Keeps what was typed into a dialog, and asks before it is lost. */
export function useTyped(onClose: () => void): Typed {
  const [typed, setTyped] = useState(false);
  const [asking, setAsking] = useState(false);
  useDraft(typed);
  return {
    onInput: () => setTyped(true),
    onClose: () => (typed ? setAsking(true) : onClose()),
    question: asking && (
      <Dialog
        open
        onClose={() => setAsking(false)}
        title="Discard what you typed?"
        about="It is not saved yet."
        actions={
          <>
            <Button onClick={() => setAsking(false)}>Keep editing</Button>
            <Button look="danger" onClick={onClose}>
              Discard
            </Button>
          </>
        }
      />
    ),
  };
}
