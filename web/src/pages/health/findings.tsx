import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import { api, call, type Schemas } from '../../api/client.ts';
import { healthQuery } from '../../api/health.ts';
import { useMay } from '../../api/me.ts';
import { BASE_PATH } from '../../base-path.ts';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { cx } from '../../ui/cx.ts';
import { toast } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { withCode } from '../../ui/with-code.tsx';

type Finding = Schemas['Finding'];
type Level = Finding['level'];

const LEVELS = {
  problem: { icon: CircleAlert, label: 'Problem', tone: 'text-danger', mark: 'text-danger' },
  warning: { icon: TriangleAlert, label: 'Warning', tone: 'text-warn', mark: 'text-warn' },
  unchecked: { icon: Info, label: 'Not checked', tone: 'text-mute', mark: 'text-mute' },
  fine: { icon: CircleCheck, label: 'Fine', tone: 'text-mute', mark: 'text-accent' },
} satisfies Record<Level, object>;
const ORDER = Object.keys(LEVELS) as Level[];

/** The worst first. */
export function Findings({ findings }: { findings: readonly Finding[] }) {
  const sorted = findings.toSorted((a, b) => ORDER.indexOf(a.level) - ORDER.indexOf(b.level));
  return (
    <ul aria-label="Checks" className="flex flex-col border-t">
      {sorted.map((finding) => (
        <FindingRow key={`${finding.what} ${finding.link ?? finding.detail}`} finding={finding} />
      ))}
    </ul>
  );
}

function FindingRow({ finding: { what, level, detail, link, endpoint } }: { finding: Finding }) {
  const { icon: Icon, label, tone, mark } = LEVELS[level];
  return (
    <li className="flex items-start gap-3 border-b px-5 py-3 last:border-0">
      <Icon className={cx('mt-0.75 size-4 shrink-0', mark)} aria-label={label} />
      <div className="grid min-w-0 flex-1 gap-x-4 md:grid-cols-[12rem_1fr]">
        <span className="font-medium first-letter:uppercase">{what}</span>
        <div className={cx('flex flex-wrap items-baseline gap-x-4 gap-y-1 wrap-anywhere', tone)}>
          <span>{inWords(detail, endpoint === undefined)}</span>
          {level === 'unchecked' && !detail.includes('confirmed') && <span>Not checked.</span>}
          {link !== undefined && level !== 'fine' && <Mend link={link} what={what} />}
          <Confirm what={what} level={level} />
        </div>
      </div>
    </li>
  );
}

/** Commands are written as in the terminal. */
function inWords(detail: string, isText: boolean) {
  if (!isText) return detail;
  const text = capitalize(detail.replace(/^sqlite\b/, 'SQLite').replace(/^postgres\b/, 'PostgreSQL'));
  return withCode(text);
}

function Mend({ link, what }: { link: string; what: string }) {
  const router = useRouter();
  return (
    <a
      href={`${BASE_PATH}${link}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        router.history.push(`${BASE_PATH}${link}`);
      }}
      className="rounded-sm font-medium underline underline-offset-4"
      aria-label={`Show ${what}`}
    >
      Show
    </a>
  );
}

const CONFIRMATIONS = {
  'master key': 'I keep a copy of the key',
  backup: 'I back up in another way',
} as const;

/** For what only operators know. It is recorded in the audit trail. */
function Confirm({ what, level }: { what: string; level: Level }) {
  const client = useQueryClient();
  const mayConfirm = useMay('admin');
  const check = what === 'master key' || what === 'backup' ? what : undefined;
  const { run, busy, error } = useAct(async (confirmed: boolean) => {
    if (!check) return;
    const body: Schemas['HealthConfirmation'] = { check, confirmed };
    client.setQueryData(
      healthQuery.queryKey,
      await call(api.PUT('/admin/v1/health/confirmations', { body })),
    );
    toast(confirmed ? 'Recorded your confirmation' : 'Took your confirmation back');
  });
  if (!check || !mayConfirm || level === 'fine' || level === 'problem') return null;
  const undo = level === 'unchecked' && check === 'backup';
  return (
    <>
      <Button size="sm" busy={busy} onClick={() => run(!undo)}>
        {undo ? 'Take back' : CONFIRMATIONS[check]}
      </Button>
      {error && <span role="alert">{error.sentence}</span>}
    </>
  );
}
