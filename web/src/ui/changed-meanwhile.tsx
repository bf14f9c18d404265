import { Alert } from './alert.tsx';
import { Button } from './button.tsx';
import type { ChangedField, Meanwhile } from './use-settings.ts';

const SHOWN_CHARACTERS = 300;

interface ChangedMeanwhileProps extends Meanwhile {
  busy: boolean;
  /** Saves over what they saved. */
  onKeep: () => void;
}

/** Instead of saving over what somebody else saved: both versions, and the choice. */
export function ChangedMeanwhile({ rows, busy, onKeep, onTake }: ChangedMeanwhileProps) {
  const isReplaced = rows.some(({ mine }) => mine !== undefined);
  return (
    <Alert title="Not saved: somebody else has changed this since you opened it">
      <div className="mt-2 flex max-h-[40dvh] flex-col gap-3 overflow-y-auto">
        {rows.map((row) => (
          <Versions key={row.label} {...row} />
        ))}
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button size="sm" busy={busy} onClick={onKeep}>
          {isReplaced ? 'Keep mine' : 'Save mine too'}
        </Button>
        <Button size="sm" disabled={busy} onClick={onTake}>
          Take theirs
        </Button>
      </div>
    </Alert>
  );
}

function Versions({ label, theirs, mine }: ChangedField) {
  return (
    <div className="text-sm">
      <p className="font-medium">{label}</p>
      <dl className="grid grid-cols-[4rem_minmax(0,1fr)] gap-x-2">
        <dt>Theirs</dt>
        <dd dir="auto" className="whitespace-pre-wrap text-ink">
          {theirs.slice(0, SHOWN_CHARACTERS)}
        </dd>
        <dt>Mine</dt>
        <dd dir="auto" className="whitespace-pre-wrap text-ink">
          {mine === undefined ? 'Not changed' : mine.slice(0, SHOWN_CHARACTERS)}
        </dd>
      </dl>
    </div>
  );
}
