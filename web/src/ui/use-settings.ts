import { useState } from 'react';
import { ApiError } from '../api/client.ts';
import { closeToasts, toast } from './toast.tsx';
import { useAct } from './use-act.ts';

/** What a field is called, and how its value reads. */
interface Named<Value> {
  label: string;
  words: (value: Value) => string;
}

/** Of every field of a draft. Texts, numbers and switches read as they are. */
export type Labels<Draft> = { [Name in keyof Draft]-?: string | Named<Draft[Name]> };

interface Settings<Saved, Draft, Changes extends object> {
  /** With the ETag that `save` sends, so that nothing that others changed meanwhile is replaced unseen. */
  saved: Saved;
  draftOf: (saved: Saved) => Draft;
  changesOf: (saved: Saved, draft: Draft) => Changes;
  /** Returns what was saved. `from` is what the form shows, or what somebody else saved and is to be replaced. */
  save: (changes: Changes, from: Saved) => Promise<Saved>;
  /** Missing if nobody else can change them. */
  others?: { labels: Labels<Draft>; reload: () => Promise<Saved> };
}

/** A field that somebody else has changed. */
export interface ChangedField {
  label: string;
  theirs: string;
  /** Undefined if it was not changed here, or to the same. */
  mine: string | undefined;
}

interface Conflict<Saved, Draft> {
  theirs: Saved;
  /** That they have changed. */
  fields: (keyof Draft)[];
}

/** What a form shows of a save that was refused because somebody else had saved. */
export interface Meanwhile {
  rows: readonly ChangedField[];
  /** Takes what they saved. What else was edited here stays. */
  onTake: () => void;
}

interface State<Saved, Draft> {
  draft: Draft;
  /** The draft before anything was edited. */
  from: Draft;
  /** What was loaded last. */
  base: Saved;
  /** What the form shows besides what was edited. */
  shown: Saved;
  /** Whether somebody else has changed what is edited here: then `shown` is older than `base`. */
  isBehind: boolean;
  conflict?: Conflict<Saved, Draft> | undefined;
}

/** Others that save all the time would have it tried again forever. */
const ATTEMPTS = 3;

/** A form of settings: its draft, saving it, and what the API or somebody else said about each field. */
export function useSettings<Saved, Draft extends object, Changes extends object>({
  saved,
  draftOf,
  changesOf,
  save,
  others,
}: Settings<Saved, Draft, Changes>) {
  const [state, setState] = useState(() => startFrom<Saved, Draft>(saved, draftOf(saved)));
  const { draft, from, base, shown, isBehind, conflict } = state;
  // Somebody else saved: what is not edited here follows.
  if (base !== saved && JSON.stringify(base) !== JSON.stringify(saved)) {
    const isNew = Object.keys(changesOf(saved, from)).length > 0;
    const next = isNew ? draftOf(saved) : from;
    const mine = edited(draft, from);
    const isReplaced = namesOf(mine).some((name) => differs(name, from, next) && differs(name, draft, next));
    const behind = isBehind || isReplaced;
    setState({
      ...{ base: saved, from: next, draft: { ...next, ...mine }, conflict },
      ...{ isBehind: behind, shown: behind ? shown : saved },
    });
  }
  const changes = changesOf(saved, draft);

  /** Returns what was saved, or undefined if it was refused because of what others saved. `over` replaces that. */
  const saveDraft = async (over = false): Promise<Saved | undefined> => {
    let to = over && conflict ? conflict.theirs : shown;
    for (let attempt = 1; ; attempt += 1) {
      const whole = to === shown ? draft : { ...draftOf(to), ...edited(draft, from) };
      const wanted = to === shown ? changes : changesOf(to, whole);
      try {
        const answer = Object.keys(wanted).length > 0 ? await save(wanted, to) : to;
        const next = draftOf(answer);
        // What was typed meanwhile is not saved yet.
        setState((now) => ({
          ...{ base: now.base, from: next, draft: { ...next, ...edited(now.draft, draft) } },
          ...{ shown: answer, isBehind: false },
        }));
        return answer;
      } catch (error) {
        if (!others || attempt >= ATTEMPTS || ApiError.from(error).code !== 'changed_meanwhile') throw error;
        const theirs = await others.reload();
        const [before, after] = [draftOf(to), draftOf(theirs)];
        const fields = namesOf(after).filter((name) => differs(name, before, after));
        if (fields.length > 0) {
          setState((now) => ({ ...now, conflict: { theirs, fields } }));
          return undefined;
        }
        to = theirs; // They changed what this form does not show.
      }
    }
  };

  function meanwhileOf({ theirs, fields }: Conflict<Saved, Draft>): Meanwhile {
    const after = draftOf(theirs);
    const mine = edited(draft, from);
    const rows = fields.map((name) => {
      const { label, words } = namedIn(others?.labels, name);
      const isMine = name in mine && differs(name, draft, after);
      return { label, theirs: words(after[name]), mine: isMine ? words(draft[name]) : undefined };
    });
    return { rows, onTake: () => take({ theirs, fields }) };
  }

  /** For whoever reads them: what a field has besides, such as ids, does not count. */
  function differs(name: keyof Draft, one: Draft, other: Draft): boolean {
    const { words } = namedIn(others?.labels, name);
    return words(one[name]) !== words(other[name]);
  }

  const take = ({ theirs, fields }: Conflict<Saved, Draft>) =>
    setState((now) => {
      const next = draftOf(theirs);
      const mine = edited(now.draft, now.from);
      const kept = Object.fromEntries(
        namesOf(mine).flatMap((name) => (fields.includes(name) ? [] : [[name, mine[name]]])),
      );
      return {
        ...startFrom(now.base, next),
        ...{ draft: { ...next, ...kept }, shown: theirs },
      };
    });
  const { run, busy, error, forgetError } = useAct(async (over?: boolean) => {
    closeToasts(); // What was said about an earlier attempt.
    if (await saveDraft(over)) toast('Saved your changes');
  });
  const meanwhile = conflict && meanwhileOf(conflict);
  return {
    draft,
    changes,
    set: (part: Partial<Draft>) => setState((now) => ({ ...now, draft: { ...now.draft, ...part } })),
    problem: (field: string) => error?.about(field),
    meanwhile,
    /** For a dialog, which closes once it is saved. */
    save: saveDraft,
    /** For `SaveForm`. */
    form: {
      dirty: Object.keys(changes).length > 0,
      busy,
      error,
      meanwhile,
      onSave: run,
      onDiscard: () => {
        forgetError();
        setState((now) => ({ ...startFrom(now.base, draftOf(saved)), shown: saved }));
      },
    },
  };
}

function startFrom<Saved, Draft>(base: Saved, from: Draft): State<Saved, Draft> {
  return { base, from, draft: from, shown: base, isBehind: false };
}

const namesOf = <Draft extends object>(draft: Draft) => Object.keys(draft) as (keyof Draft)[];

/** The fields of a draft that are no longer as they were. */
function edited<Draft extends object>(draft: Draft, from: Draft): Partial<Draft> {
  const own = namesOf(draft).filter((name) => draft[name] !== from[name]);
  return Object.fromEntries(own.map((name) => [name, draft[name]])) as Partial<Draft>;
}

function namedIn<Draft>(labels: Labels<Draft> | undefined, name: keyof Draft): Named<Draft[keyof Draft]> {
  const label: string | Named<Draft[keyof Draft]> = labels?.[name] ?? String(name);
  return typeof label === 'string' ? { label, words: plainWords } : label;
}

function plainWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'On' : 'Off';
  return String(value ?? '').trim() || 'Empty';
}

/** Of a field that has one of several values. */
export function choiceWords(options: (value: string) => readonly { value: string; label: string }[]) {
  return (value: string) => options(value).find((option) => option.value === value)?.label ?? value;
}
