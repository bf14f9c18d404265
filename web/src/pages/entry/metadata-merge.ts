export type Metadata = Record<string, unknown>;

/** What somebody else saved while metadata was edited. */
export interface Meanwhile {
  /** Keys whose change is now in the text. */
  taken: string[];
  /** Keys that the text would replace. */
  replaced: string[];
}

/** The draft with what somebody else changed, or undefined if it would undo nothing of that. */
export function rebase(base: Metadata, draft: Metadata, theirs: Metadata) {
  const mine = changedKeys(base, draft);
  const undone = changedKeys(base, theirs).filter((key) => !isSame(draft, theirs, key));
  if (undone.length === 0) return undefined;
  const kept = Object.entries(theirs).filter(([key]) => !mine.includes(key));
  const own = Object.entries(draft).filter(([key]) => mine.includes(key));
  return {
    metadata: Object.fromEntries([...kept, ...own]) as Metadata,
    meanwhile: {
      taken: undone.filter((key) => !mine.includes(key)),
      replaced: undone.filter((key) => mine.includes(key)),
    },
  };
}

/** Keys that were added, removed or have another value. */
function changedKeys(before: Metadata, after: Metadata): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].filter((key) => !isSame(before, after, key));
}

function isSame(a: Metadata, b: Metadata, key: string): boolean {
  return JSON.stringify(valueAt(a, key)) === JSON.stringify(valueAt(b, key));
}

/** A key may be the name of something that every object has. */
function valueAt(metadata: Metadata, key: string): unknown {
  return Object.hasOwn(metadata, key) ? metadata[key] : undefined;
}
