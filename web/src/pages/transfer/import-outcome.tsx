import type { Schemas } from '../../api/client.ts';
import { Alert } from '../../ui/alert.tsx';
import { Stat, Stats } from '../../ui/card.tsx';
import { number } from '../../ui/number.ts';
import type { ImportResult } from './jobs.ts';

/** What an import or a check did with the rows. */
export function ImportOutcome({
  result: { rows, created, skipped, failed, codesTaken, dryRun, undone },
}: {
  result: ImportResult;
}) {
  return (
    <>
      <Stats>
        <Stat label="Rows" value={rows} />
        <Stat
          label={dryRun ? 'Would be added' : 'Added'}
          value={created}
          about={undone > 0 && `${number(undone)} removed again`}
        />
        <Stat
          label="Skipped"
          value={skipped}
          about={skipped > 0 && 'On the waitlist already, in the file twice, or marked as removed'}
        />
        <Stat label="Bad rows" value={failed} />
      </Stats>
      {codesTaken > 0 && (
        <Alert tone="warn">
          {number(codesTaken)} referral {codesTaken === 1 ? 'code belongs' : 'codes belong'} to somebody else
          already. These people get new ones.
        </Alert>
      )}
    </>
  );
}

/** What the rows had, and what to know about it. */
export function ImportFindings({
  found,
  report: { columns, warnings },
  dryRun,
}: {
  found: ImportResult['found'];
  dryRun: boolean;
  report: Pick<Schemas['Import'], 'columns' | 'warnings'>;
}) {
  const unknown = columns.filter(({ isUnknown }) => isUnknown).length;
  const counts = found && { ...found, unknown };
  return (
    <>
      {counts && (
        <dl className="flex flex-wrap gap-x-6 gap-y-1 text-sm">
          {NAMES.map(([name, label]) => (
            <div key={name} className="flex gap-1.5">
              <dt className="text-mute">{label}</dt>
              <dd className="font-medium tabular-nums">{number(counts[name])}</dd>
            </div>
          ))}
        </dl>
      )}
      {warnings.length > 0 && (
        <Alert tone="warn" title={dryRun ? 'Before you import' : 'What to know'}>
          <ul className="flex flex-col gap-1">
            {warnings.map((warning) => (
              <li key={warning}>{warning}</li>
            ))}
          </ul>
        </Alert>
      )}
    </>
  );
}

const NAMES = [
  ['times', 'Times'],
  ['referrals', 'Referrals'],
  ['statuses', 'Statuses'],
  ['phones', 'Phones'],
  ['unknown', 'Unknown columns'],
] as const;
