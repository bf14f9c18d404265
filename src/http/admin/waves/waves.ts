import Type from 'typebox';
import { invalid } from '../../../lib/errors.ts';
import { mailableFrom } from '../../../mail/mailable.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { changeWave, createWave, OPEN_WAVES_MAX, stopWave } from '../../../waitlist/waves/change-waves.ts';
import { forecastWave, previewWave, readAcceptRate } from '../../../waitlist/waves/forecast.ts';
import { listRuns, listWaves, readWave } from '../../../waitlist/waves/waves.ts';
import { maskFor, UNMASKED } from '../../../wire/mask.ts';
import { described, named } from '../../../wire/schema.ts';
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
} from '../../../wire/wave.ts';
import type { TypedApp } from '../../typed-app.ts';
import { EXAMPLE_MAILABLE, MailableSchema, presentMailable } from '../core/mailable.ts';
import { adminSchema } from '../core/operation.ts';
import { nextCursorSchema, PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX, pageOf, pageQuery } from '../core/pages.ts';
import type { AdminParts } from '../core/parts.ts';
import { closed } from '../core/schemas.ts';
import { domainFor, environmentQuery, requireQueue, waitlistParams } from '../core/waitlist-scope.ts';
import { planFieldsOf, WaveChange, WaveRequest } from './wave-input.ts';

const tag = 'Waves';
const Query = Type.Object(environmentQuery, closed);
const WaveParams = Type.Object({
  ...waitlistParams,
  waveId: Type.String({ description: 'Id of the wave.', examples: [EXAMPLE_WAVE.id] }),
});
const unknown = {
  not_found: {
    when: 'The waitlist or the wave does not exist.',
    message: `there is no wave ${EXAMPLE_WAVE.id}`,
  },
};
const over = { conflict: { when: 'The wave is over.', message: 'this wave is already done' } };
const invalidPlan = {
  invalid_request: { message: 'schedule.timeZone: must be the name of a time zone, such as Europe/Berlin' },
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

const listSchema = adminSchema({
  operationId: 'listWaves',
  tag,
  summary: 'List waves',
  description: 'Returns the waves of a waitlist in one environment, also those that are over, newest first.',
  role: 'viewer',
  params: Type.Object(waitlistParams),
  querystring: Type.Object({ ...environmentQuery, ...pageQuery }, closed),
  answer: {
    description: 'A page of waves.',
    schema: WavePage,
    example: { waves: [EXAMPLE_WAVE], nextCursor: null },
  },
  errors: ['not_found'],
  special: { not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' } },
});

const createSchema = adminSchema({
  operationId: 'createWave',
  tag,
  summary: 'Create a wave',
  description:
    'Plans invites: at the times of a schedule, or whenever fewer than `keepOpen` are open. The next people are those at the front of the queue, or ' +
    'of segments by quotas. A wave invites nobody twice. With `dryRun`, nothing happens, and the answer says what the wave would do. ' +
    '`mailable` says whether its invites are sent by email.',
  role: 'support',
  params: Type.Object(waitlistParams),
  querystring: Query,
  body: WaveRequest,
  answer: {
    status: 201,
    description: 'The wave was created.',
    schema: CreatedWave,
    example: { ...EXAMPLE_WAVE, mailable: EXAMPLE_MAILABLE },
  },
  also: [
    {
      status: 200,
      description: 'What it would do, for `dryRun`.',
      schema: WaveForecast,
      example: { ...EXAMPLE_FORECAST, mailable: EXAMPLE_MAILABLE },
    },
  ],
  errors: ['not_found', 'conflict'],
  special: {
    ...invalidPlan,
    not_found: { when: 'The waitlist does not exist.', message: 'there is no waitlist wl_acme' },
    conflict: {
      when: `There are ${OPEN_WAVES_MAX} waves already that are not over.`,
      message: `a waitlist has at most ${OPEN_WAVES_MAX} waves that are not over: stop one first`,
    },
  },
});

const getSchema = adminSchema({
  operationId: 'getWave',
  tag,
  summary: 'Get a wave',
  description:
    'Returns a wave with its last runs, and what its next runs are expected to do. Of a wave that chooses people by metadata, viewers get neither.',
  role: 'viewer',
  params: WaveParams,
  querystring: Query,
  answer: {
    description: 'The wave.',
    schema: WaveDetails,
    example: { ...EXAMPLE_WAVE_DETAILS, mailable: EXAMPLE_MAILABLE },
  },
  errors: ['not_found'],
  special: unknown,
});

const changeSchema = adminSchema({
  operationId: 'updateWave',
  tag,
  summary: 'Change, pause or resume a wave',
  description:
    'Changes all given fields or none. A run that is under way follows the new plan from its next batch. A wave that is resumed continues the run ' +
    'it was paused in, and does not make up for times that passed meanwhile, unless it runs only once.',
  role: 'support',
  params: WaveParams,
  querystring: Query,
  body: WaveChange,
  answer: {
    description: 'The wave.',
    schema: WaveSchema,
    example: { ...EXAMPLE_WAVE, state: 'paused', nextRunAt: null },
  },
  errors: ['not_found', 'conflict'],
  special: { ...invalidPlan, ...unknown, ...over },
});

const stopSchema = adminSchema({
  operationId: 'stopWave',
  write: true,
  tag,
  summary: 'Stop a wave',
  description:
    'Ends a wave for good. A run that is under way ends after its current batch. Its invites stay open, and its history can still be read.',
  role: 'support',
  params: WaveParams,
  querystring: Query,
  answer: {
    description: 'The wave was stopped.',
    schema: WaveSchema,
    example: { ...EXAMPLE_WAVE, state: 'stopped', nextRunAt: null, finishedAt: '2026-11-16T10:00:00.000Z' },
  },
  errors: ['not_found', 'conflict'],
  special: { ...unknown, ...over },
});

export function registerWaves(app: TypedApp, parts: AdminParts): void {
  const { waitlists } = parts;
  const path = '/waitlists/:waitlistId/waves';
  const mailableOf = async (queue: Queue) =>
    presentMailable(await mailableFrom(waitlists, queue, 'invite', parts.emails.smtp));

  app.get(path, { schema: listSchema }, async ({ params, query, caller }) => {
    const queue = await requireQueue(parts, params, query);
    const { limit = PAGE_LIMIT_DEFAULT, cursor: before } = query;
    const found = await listWaves(waitlists, queue, { limit: limit + 1, before });
    const { items, nextCursor } = pageOf(found, limit, ({ id }) => id);
    const mask = maskFor(caller.actor.role);
    return { waves: items.map((wave) => presentWave(wave, mask)), nextCursor };
  });

  app.post(path, { schema: createSchema }, async (request, reply) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    const { name, dryRun, ...rest } = body;
    const input = { name, ...(await planFieldsOf(domain, queue, rest)) };
    if (dryRun === true) {
      reply.code(200);
      const forecast = presentForecast(await previewWave(domain, queue, input));
      return { ...forecast, mailable: await mailableOf(queue) } as never;
    }
    const wave = presentWave(await createWave(domain, queue, input), UNMASKED);
    reply.code(201);
    return { ...wave, mailable: await mailableOf(queue) };
  });

  app.get(`${path}/:waveId`, { schema: getSchema }, async ({ params, query, caller }) => {
    const queue = await requireQueue(parts, params, query);
    const { waveId } = params;
    const wave = await readWave(waitlists, queue, waveId);
    const mask = maskFor(caller.actor.role);
    const shown = { ...presentWave(wave, mask), mailable: await mailableOf(queue) };
    if (mask.on && hidesPeople(wave))
      return { ...shown, acceptRate: await readAcceptRate(waitlists, queue), upcoming: null, runs: null };
    const runs = await listRuns(waitlists, queue, waveId);
    return {
      ...shown,
      ...presentForecast(await forecastWave(waitlists, queue, waveId)),
      runs: runs.map(presentRun),
    };
  });

  app.patch(`${path}/:waveId`, { schema: changeSchema }, async (request) => {
    const { params, query, body } = request;
    const queue = await requireQueue(parts, params, query);
    const domain = domainFor(parts, request);
    if (Object.keys(body).length === 0) throw invalid('body: has nothing to change');
    const { paused, name, ...rest } = body;
    const changes = { paused, name, ...(await planFieldsOf(domain, queue, rest)) };
    return presentWave(await changeWave(domain, queue, params.waveId, changes), UNMASKED);
  });

  app.delete(`${path}/:waveId`, { schema: stopSchema }, async (request) => {
    const { params, query } = request;
    const queue = await requireQueue(parts, params, query);
    return presentWave(await stopWave(domainFor(parts, request), queue, params.waveId), UNMASKED);
  });
}
