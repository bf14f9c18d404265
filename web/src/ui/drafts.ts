import { changedFields } from './changed-fields.ts';

/** How a field shows a setting, such as a number as the text that people type, and what it then says. */
export interface DraftField<Value, Shown = string> {
  show(value: Value): Shown;
  read(shown: Shown): Value;
}

export function asIs<Value>(): DraftField<Value, Value> {
  return { show: (value) => value, read: (value) => value };
}

export const line: DraftField<string> = { show: (text) => text, read: (text) => text.trim() };

export const lineOrNull: DraftField<string | null> = {
  show: (text) => text ?? '',
  read: (text) => text.trim() || null,
};

export const number: DraftField<number> = { show: String, read: Number };

/** `none`: what the field says for `null`. */
export function numberOr(none: string): DraftField<number | null> {
  return {
    show: (value) => (value === null ? none : String(value)),
    read: (text) => (text.trim() === none ? null : Number(text)),
  };
}

type Fields = Readonly<Record<string, DraftField<unknown, unknown>>>;
type SavedOf<All extends Fields> = {
  [Name in keyof All]: All[Name] extends DraftField<infer Value, infer _> ? Value : never;
};
type DraftOf<All extends Fields> = {
  [Name in keyof All]: All[Name] extends DraftField<infer _, infer Shown> ? Shown : never;
};

/** Makes a draft of settings, and finds what differs in it. */
export function draftsOf<All extends Fields>(fields: All) {
  const all = Object.entries(fields);
  const draftOf = (saved: SavedOf<All>) =>
    Object.fromEntries(all.map(([name, field]) => [name, field.show(saved[name])])) as DraftOf<All>;
  const settingsOf = (draft: DraftOf<All>) =>
    Object.fromEntries(all.map(([name, field]) => [name, field.read(draft[name])])) as SavedOf<All>;
  return {
    draftOf,
    settingsOf,
    /** Only what differs, so that two operators do not undo each other's changes. */
    changesOf: (saved: SavedOf<All>, draft: DraftOf<All>): Partial<SavedOf<All>> =>
      changedFields<SavedOf<All>>(settingsOf(draftOf(saved)), settingsOf(draft)),
  };
}
