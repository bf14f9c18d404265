import Type from 'typebox';
import { invalid } from '../../lib/errors.ts';
import { mailableFrom } from '../../mail/mailable.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import { changeWave, createWave, OPEN_WAVES_MAX, stopWave } from '../../waitlist/waves/change-waves.ts';
import { forecastWave, previewWave, readAcceptRate } from '../../waitlist/waves/forecast.ts';
import { listRuns, listWaves, readWave } from '../../waitlist/waves/waves.ts';
import { described, named, WORD } from '../../wire/schema.ts';
import {
  EXAMPLE_FORECAST,
  EXAMPLE_WAVE,
  EXAMPLE_WAVE_DETAILS,
  hidesPeople,
  presentForecast,
  presentRun,
  presentWave,
  WaveDetailsSchema,
  WaveForecastSchema,
  WaveSchema,
} from '../../wire/wave.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { OtherAnswer, operation } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import type { OperationParts } from '../core/parts.ts';
import { planFieldsOf, WaveChange, WaveRequest } from './wave-input.ts';

const tag = 'Waves';
const scope = 'queue';
const waveId = Type.String({ ...WORD, description: 'Id of the wave.', examples: [EXAMPLE_WAVE.id] });
const over = { when: 'The wave is over.', message: 'this wave is already done' };
const invalidPlan = {
  message: 'schedule.timeZone: must be the name of a time zone, such as Europe/Berlin',
};

const mailable = described(MailableSchema, 'Whether its invites are sent by email.');
const CreatedWave = Type.Object(
  { ...WaveSchema.properties, mailable },
  { ...named('CreatedWave'), description: 'A plan of invites, and whether they are sent by email.' },
);
const WaveForecast = Type.Object(
  { ...WaveForecastSchema.properties, mailable },
  { ...named('WaveForecast'), description: 'What a wave will do.' },
);
const WaveDetails = Type.Object(
  { ...WaveDetailsSchema.properties, mailable },
  { ...named('WaveDetails'), description: 'A wave with its last and its next runs.' },
);
const WavePage = Type.Object(
  {
    waves: Type.Array(WaveSchema, { maxItems: PAGE_LIMIT_MAX, description: 'Newest first.' }),
    nextCursor: nextCursorSchema,
  },
  { ...named('WavePage'), description: 'One page of waves.' },
);

export const waves = [
  operation({
    id: 'listWaves',
    at: 'GET /waitlists/:waitlistId/waves',
    tag,
    summary: 'List waves',
    description:
      'Returns the waves of a waitlist in one environment, also those that are over, newest first.',
    role: 'viewer',
    scope,
    query: pageQuery,
    answer: {
      description: 'A page of waves.',
      schema: WavePage,
      example: { waves: [EXAMPLE_WAVE], nextCursor: null },
    },
    run: async ({ context, queue, query, mask }) => {
      const { limit = PAGE_LIMIT_DEFAULT, cursor: before } = query;
      const found = await listWaves(context, queue, { limit: limit + 1, before });
      const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
      return { waves: items.map((wave) => presentWave(wave, mask)), nextCursor };
    },
  }),
  operation({
    id: 'createWave',
    at: 'POST /waitlists/:waitlistId/waves',
    tag,
    summary: 'Create a wave',
    description:
      'Plans invites: at the times of a schedule, or whenever fewer than `keepOpen` are open. The next people are those at the front of the queue, or ' +
      'of segments by quotas. A wave invites nobody twice. With `dryRun`, nothing happens, and the answer says what the wave would do. ' +
      '`mailable` says whether its invites are sent by email.',
    role: 'support',
    scope,
    body: WaveRequest,
    answer: {
      status: 201,
      description: 'The wave was created.',
      schema: CreatedWave,
      example: { ...EXAMPLE_WAVE, mailable: EXAMPLE_MAILABLE },
    },
    otherwise: {
      status: 200,
      description: 'What it would do, for `dryRun`.',
      schema: WaveForecast,
      example: { ...EXAMPLE_FORECAST, mailable: EXAMPLE_MAILABLE },
    },
    errors: {
      invalid_request: invalidPlan,
      conflict: {
        when: `There are ${OPEN_WAVES_MAX} waves already that are not over.`,
        message: `a waitlist has at most ${OPEN_WAVES_MAX} waves that are not over: stop one first`,
      },
    },
    run: async ({ context, parts, queue, body: { name, dryRun, ...rest }, mask }) => {
      const input = { name, ...(await planFieldsOf(context, queue, rest)) };
      if (dryRun === true) {
        const forecast = presentForecast(await previewWave(context, queue, input));
        return new OtherAnswer({ ...forecast, mailable: await mailableOf(parts, queue) });
      }
      const wave = presentWave(await createWave(context, queue, input), mask);
      return { ...wave, mailable: await mailableOf(parts, queue) };
    },
  }),
  operation({
    id: 'getWave',
    showsSettings: true,
    at: 'GET /waitlists/:waitlistId/waves/:waveId',
    tag,
    summary: 'Get a wave',
    description:
      'Returns a wave with its last runs, and what its next runs are expected to do. Of a wave that chooses people by metadata, viewers get neither.',
    role: 'viewer',
    scope,
    params: { waveId },
    answer: {
      description: 'The wave.',
      schema: WaveDetails,
      example: { ...EXAMPLE_WAVE_DETAILS, mailable: EXAMPLE_MAILABLE },
    },
    run: async ({ context, parts, queue, params: { waveId }, mask }) => {
      const wave = await readWave(context, queue, waveId);
      const shown = { ...presentWave(wave, mask), mailable: await mailableOf(parts, queue) };
      if (mask.on && hidesPeople(wave))
        return { ...shown, acceptRate: await readAcceptRate(context, queue), upcoming: null, runs: null };
      const runs = await listRuns(context, queue, waveId);
      return {
        ...shown,
        ...presentForecast(await forecastWave(context, queue, waveId)),
        runs: runs.map(presentRun),
      };
    },
  }),
  operation({
    id: 'updateWave',
    settings: { lock: 'queue', besides: ({ state }) => ({ paused: state === 'paused' }) },
    at: 'PATCH /waitlists/:waitlistId/waves/:waveId',
    tag,
    summary: 'Change, pause or resume a wave',
    description:
      'Changes all given fields or none. A run that is under way follows the new plan from its next batch. A wave that is resumed continues the run ' +
      'it was paused in, and does not make up for times that passed meanwhile, unless it runs only once.',
    role: 'support',
    scope,
    params: { waveId },
    body: WaveChange,
    answer: {
      description: 'The wave.',
      schema: WaveSchema,
      example: { ...EXAMPLE_WAVE, state: 'paused', nextRunAt: null },
    },
    errors: { invalid_request: invalidPlan, conflict: over },
    run: async ({ context, queue, params, body, mask }) => {
      if (Object.keys(body).length === 0) throw invalid('body: has nothing to change');
      const { paused, name, ...rest } = body;
      const changes = { paused, name, ...(await planFieldsOf(context, queue, rest)) };
      return presentWave(await changeWave(context, queue, params.waveId, changes), mask);
    },
  }),
  operation({
    id: 'stopWave',
    at: 'DELETE /waitlists/:waitlistId/waves/:waveId',
    tag,
    summary: 'Stop a wave',
    description:
      'Ends a wave for good. A run that is under way ends after its current batch. Its invites stay open, and its history can still be read.',
    role: 'support',
    scope,
    params: { waveId },
    answer: {
      description: 'The wave was stopped.',
      schema: WaveSchema,
      example: { ...EXAMPLE_WAVE, state: 'stopped', nextRunAt: null, finishedAt: '2026-11-16T10:00:00.000Z' },
    },
    errors: { conflict: over },
    run: async ({ context, queue, params, mask }) =>
      presentWave(await stopWave(context, queue, params.waveId), mask),
  }),
];

async function mailableOf({ waitlists, emails }: OperationParts, queue: Queue) {
  return presentMailable(await mailableFrom(waitlists, queue, 'invite', emails.smtp));
}
