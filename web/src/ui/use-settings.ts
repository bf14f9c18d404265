import { useState } from 'react';
import { closeToasts, toast } from './toast.tsx';
import { useAct } from './use-act.ts';

interface Settings<Saved, Draft, Changes extends object> {
  saved: Saved;
  draftOf: (saved: Saved) => Draft;
  changesOf: (saved: Saved, draft: Draft) => Changes;
  /** Returns what was saved. */
  save: (changes: Changes) => Promise<Saved>;
}

/** A page of settings: its draft, saving it, and what the API said about each field. */
export function useSettings<Saved, Draft, Changes extends object>({
  saved,
  draftOf,
  changesOf,
  save,
}: Settings<Saved, Draft, Changes>) {
  const [draft, setDraft] = useState(() => draftOf(saved));
  const changes = changesOf(saved, draft);
  const { run, busy, error } = useAct(async () => {
    closeToasts(); // What was said about an earlier attempt.
    setDraft(draftOf(await save(changes)));
    toast('Saved your changes');
  });
  return {
    draft,
    changes,
    set: (part: Partial<Draft>) => setDraft((now) => ({ ...now, ...part })),
    problem: (field: string) => error?.about(field),
    /** For `SaveForm`. */
    form: {
      dirty: Object.keys(changes).length > 0,
      busy,
      error,
      onSave: run,
      onDiscard: () => setDraft(draftOf(saved)),
    },
  };
}
