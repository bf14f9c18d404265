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
export function useSettings<Saved, Draft extends object, Changes extends object>({
  saved,
  draftOf,
  changesOf,
  save,
}: Settings<Saved, Draft, Changes>) {
  const [{ draft, from, base }, setState] = useState(() => startFrom(saved, draftOf(saved)));
  // Somebody else saved: what is not edited here follows.
  if (base !== saved && JSON.stringify(base) !== JSON.stringify(saved)) {
    const isNew = Object.keys(changesOf(saved, from)).length > 0;
    const next = isNew ? draftOf(saved) : from;
    setState({ base: saved, from: next, draft: { ...next, ...edited(draft, from) } });
  }
  const changes = changesOf(saved, draft);
  const { run, busy, error, forgetError } = useAct(async () => {
    closeToasts(); // What was said about an earlier attempt.
    const next = draftOf(await save(changes));
    // What was typed meanwhile is not saved yet.
    setState((now) => ({ base: now.base, from: next, draft: { ...next, ...edited(now.draft, draft) } }));
    toast('Saved your changes');
  });
  return {
    draft,
    changes,
    set: (part: Partial<Draft>) => setState((now) => ({ ...now, draft: { ...now.draft, ...part } })),
    problem: (field: string) => error?.about(field),
    /** For `SaveForm`. */
    form: {
      dirty: Object.keys(changes).length > 0,
      busy,
      error,
      onSave: run,
      onDiscard: () => {
        forgetError();
        setState((now) => startFrom(now.base, draftOf(saved)));
      },
    },
  };
}

/** `base` is what was loaded last, and `from` the draft before anything was edited. */
const startFrom = <Saved, Draft>(base: Saved, from: Draft) => ({ base, from, draft: from });

/** The fields of a draft that are no longer as they were. */
function edited<Draft extends object>(draft: Draft, from: Draft): Partial<Draft> {
  const names = Object.keys(draft) as (keyof Draft)[];
  const own = names.filter((name) => draft[name] !== from[name]);
  return Object.fromEntries(own.map((name) => [name, draft[name]])) as Partial<Draft>;
}
