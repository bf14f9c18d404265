import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { ArrowLeft, Pause, Play } from 'lucide-react';
import { useState } from 'react';
import { useMay } from '../../api/me.ts';
import { environmentSearch, useScope } from '../../shell/waitlist-scope.ts';
import { Alert } from '../../ui/alert.tsx';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { capitalize } from '../../ui/capitalize.ts';
import { Card, Stat, Stats } from '../../ui/card.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { number } from '../../ui/number.ts';
import { PageHeader } from '../../ui/page-header.tsx';
import { Progress } from '../../ui/progress.tsx';
import { QueryProblem } from '../../ui/query-problem.tsx';
import { toast, toastError } from '../../ui/toast.tsx';
import { useAct } from '../../ui/use-act.ts';
import { NotMailed } from '../invites/not-mailed.tsx';
import { nobodyWhy, nothingWhy, Upcoming } from './upcoming.tsx';
import { WaveForm } from './wave-form.tsx';
import { WaveRuns } from './wave-runs.tsx';
import {
  isOver,
  planInWords,
  STATE_TONES,
  stopWave,
  updateWave,
  type WaveDetails,
  waveQuery,
  wavesKey,
  whoInWords,
} from './waves.ts';

/** One wave: how far it is, what comes next, and what each run did. */
export function WavePage() {
  const scope = useScope();
  const { waveId } = useParams({ from: '/shell/waitlists/$waitlistId/waves/$waveId' });
  const query = useQuery(waveQuery(scope, waveId));
  const wave = query.data;
  return (
    <>
      <div className="flex flex-col gap-3">
        <Link
          to="/waitlists/$waitlistId/waves"
          params={{ waitlistId: scope.waitlistId }}
          search={environmentSearch(scope.environment)}
          className="flex items-center gap-1.5 self-start rounded-sm text-sm text-mute hover:text-ink"
        >
          <ArrowLeft className="size-4" aria-hidden />
          Waves
        </Link>
        <PageHeader
          title={wave?.name ?? 'Wave'}
          about={wave && `${planInWords(wave)}. ${whoInWords(wave)}`}
          actions={wave && <Actions wave={wave} />}
        />
      </div>
      <QueryProblem framed query={query}>
        {wave?.damaged && (
          <Alert tone="danger" title="The plan of this wave is damaged">
            It cannot be decrypted, so the wave invites nobody.
            {!isOver(wave) && ' Stop the wave, and create another one.'}
          </Alert>
        )}
        {wave?.pauseReason && !wave.damaged && (
          <Alert tone="warn" title="This wave paused itself">
            {capitalize(wave.pauseReason)}.{' '}
            {wave.resumesItself ? 'It goes on when they do.' : 'Resume it once the cause is fixed.'}
          </Alert>
        )}
        {wave && !isOver(wave) && !wave.pauseReason && !wave.damaged && (
          <NotMailed mailable={wave.mailable} otherwise="Invites are not emailed">
            {wave.state !== 'paused' &&
              wave.mailable.reason === 'sending_paused' &&
              'No run begins until then.'}
          </NotMailed>
        )}
        <Stats>
          <Stat label="Invited" value={wave?.invited} about="By this wave" />
          <Stat
            label="Joined"
            value={wave?.joined}
            about={wave?.untilJoined ? `Of ${number(wave.untilJoined)}` : 'Since it was created'}
          />
          <Stat label="Open invites" value={wave?.openInvites} about={openAbout(wave)} />
        </Stats>
        {wave?.untilJoined && (
          <Progress label="People who joined" value={wave.joined} max={wave.untilJoined} />
        )}
        <Runs wave={wave} />
      </QueryProblem>
    </>
  );
}

function Runs({ wave }: { wave: WaveDetails | undefined }) {
  const { upcoming, runs } = wave ?? {};
  if (upcoming === null || runs === null)
    return (
      <Card title="Runs">
        <p className="text-mute">
          {wave?.damaged
            ? 'Your role does not show how many a damaged wave has invited.'
            : 'This wave chooses people by metadata, so your role does not show how many it invites.'}
        </p>
      </Card>
    );
  return (
    <>
      <Card title="Next runs" about={rateInWords(wave)} flush>
        <Upcoming
          upcoming={upcoming}
          timeZone={wave?.schedule?.timeZone}
          nobody={wave ? nobodyWhy(wave) : ''}
          empty={wave ? nothingNext(wave) : ''}
        />
      </Card>
      <Card title="History" flush>
        <WaveRuns runs={runs} timeZone={wave?.schedule?.timeZone} />
      </Card>
    </>
  );
}

function openAbout(wave: WaveDetails | undefined): string {
  return wave?.keepOpen ? `Of ${number(wave.keepOpen)}` : 'Whoever sent them';
}

function rateInWords(wave: WaveDetails | undefined): string | undefined {
  if (!wave) return undefined;
  const { acceptRate: rate } = wave;
  if (!rate) return 'How many will join is not known yet: too few invites are a week old.';
  return `${percent(rate.likely)} of the last ${number(rate.sample)} invites were accepted.`;
}

const percent = (share: number) => `${Math.round(100 * share)}%`;

function nothingNext(wave: WaveDetails): string {
  if (wave.damaged) return 'Nothing: its plan is damaged.';
  if (wave.state === 'paused') return 'Nothing until it is resumed.';
  if (wave.state === 'running') return 'It is inviting people now.';
  return isOver(wave) ? 'This wave is over.' : nothingWhy(wave);
}

function Actions({ wave }: { wave: WaveDetails }) {
  const scope = useScope();
  const client = useQueryClient();
  const mayInvite = useMay('support');
  const [editing, setEditing] = useState(false);
  const [stopping, setStopping] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: wavesKey(scope) });
  const isPaused = wave.state === 'paused';
  const pause = useAct(async () => {
    try {
      await updateWave(scope, wave.id, { paused: !isPaused });
      await refresh();
      toast(isPaused ? 'Resumed the wave' : 'Paused the wave');
    } catch (error) {
      toastError(error);
    }
  });
  return (
    <>
      <Badge tone={STATE_TONES[wave.state]}>{capitalize(wave.state)}</Badge>
      {mayInvite && !isOver(wave) && (
        <>
          {!(wave.damaged && isPaused) && (
            <Button
              icon={isPaused ? <Play aria-hidden /> : <Pause aria-hidden />}
              busy={pause.busy}
              onClick={() => void pause.run()}
            >
              {isPaused ? 'Resume' : 'Pause'}
            </Button>
          )}
          {!wave.damaged && <Button onClick={() => setEditing(true)}>Edit</Button>}
          <Button onClick={() => setStopping(true)}>Stop</Button>
        </>
      )}
      {editing && (
        <WaveForm
          scope={scope}
          wave={wave}
          onClose={() => setEditing(false)}
          onSaved={async () => {
            setEditing(false);
            await refresh();
          }}
        />
      )}
      <ConfirmDialog
        open={stopping}
        onClose={() => setStopping(false)}
        title="Stop this wave?"
        about="It invites nobody else, and cannot be started again. Invites that it sent stay open."
        action="Stop the wave"
        onConfirm={async () => {
          await stopWave(scope, wave.id);
          await refresh();
          toast('Stopped the wave');
        }}
      />
    </>
  );
}
