import type { FastifyReply, FastifyRequest } from 'fastify';
import Type from 'typebox';
import { DoorlistError } from '../../../lib/errors.ts';
import { closed } from '../../../operations/core/schemas.ts';
import type { Role } from '../../../operators/roles.ts';
import type { Queue } from '../../../waitlist/queue/queue.ts';
import { maskFor } from '../../../wire/mask.ts';
import { EXAMPLE_STREAM } from '../../../wire/stream.ts';
import type { TypedApp } from '../../typed-app.ts';
import type { AdminParts } from '../core/admin-parts.ts';
import { isStillAllowed } from '../core/authenticate.ts';
import { adminSchema } from '../core/operation.ts';
import type { Feed } from '../core/stream-topic.ts';
import { environmentQuery, queueOfRequest } from '../core/waitlist-scope.ts';
import { installationFeed, queueFeed } from './feeds.ts';

const RETRY_MS = 2_000;

/** As many as windows that are in sight at once, and some. */
const WATCHED_MAX = 20;

const StreamQuery = Type.Object(
  {
    waitlist: Type.Optional(
      Type.String({
        description:
          `Waitlist to watch, or up to ${WATCHED_MAX} of them, separated by commas. \`wl_acme:development\` names an environment other than ` +
          'that of `environment`. Of several, those that do not exist are left out. Without it, the stream is about the whole installation.',
        examples: ['wl_acme', 'wl_acme,wl_beta:development'],
        maxLength: 2_000,
      }),
    ),
    ...environmentQuery,
  },
  closed,
);

const schema = adminSchema({
  operationId: 'watch',
  tag: 'Stream',
  summary: 'Watch for changes',
  description:
    'Server-sent events: the current state of each thing first, then its new state whenever it changes. `counters` has the ' +
    'number of entries by status and of all signups. `delivery` has the deliveries that wait for their next attempt and ' +
    'those that failed, for webhooks and emails; counting stops at 1,000. Both say which waitlist and environment they are about. `job` is one of the 20 newest jobs. A stream without ' +
    '`waitlist` has no `counters`, the deliveries of all waitlists together, and the jobs of each. If you read too slowly, you skip to the newest state. A comment every 15 seconds keeps the ' +
    'connection open. The stream ends when the session or token ends, when its role changes, when a waitlist is deleted, or when the server stops: reconnect, ' +
    'as `EventSource` does by itself.',
  role: 'viewer',
  querystring: StreamQuery,
  answer: {
    type: 'text/event-stream',
    description: 'The events.',
    schema: Type.String({ description: 'A stream of events, each with a name and JSON data.' }),
    example: EXAMPLE_STREAM,
  },
  errors: ['not_found'],
  special: {
    not_found: {
      when: 'The waitlist does not exist, or none of several.',
      message: 'there is no waitlist wl_acme',
    },
    rate_limited: {
      when: 'Too many streams are open. Wait for the number of seconds in `Retry-After`.',
      message: 'more than 20 open streams: close some first',
    },
  },
});

export function registerStream(app: TypedApp, parts: AdminParts): void {
  const { streams: hub } = parts;
  const queueFor = async (watched: string, environment: string | undefined): Promise<Queue> => {
    const [waitlistId = '', own] = watched.split(':', 2);
    return queueOfRequest(parts, { waitlistId }, { environment: own ?? environment });
  };
  const feedsOf = async ({ waitlist, environment }: Query, role: Role): Promise<Feed[]> => {
    const mask = maskFor(role);
    if (waitlist === undefined) return [installationFeed(parts.waitlists, mask)];
    const watched = [...new Set(waitlist.split(','))];
    if (watched.length > WATCHED_MAX)
      throw new DoorlistError(
        'invalid_request',
        `waitlist: at most ${WATCHED_MAX} of them, separated by commas`,
      );
    const found = await Promise.allSettled(watched.map((each) => queueFor(each, environment)));
    const unknown = found.filter((each) => each.status === 'rejected').map(({ reason }) => reason);
    const other = unknown.find((reason) => !(reason instanceof DoorlistError && reason.code === 'not_found'));
    if (other || unknown.length === watched.length) throw other ?? unknown[0];
    const queues = found.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    return queues.map((queue) => queueFeed(parts.waitlists, queue, mask));
  };
  app.get('/stream', { schema, exposeHeadRoute: false, config: { isLong: true } }, async (request, reply) => {
    const { actor, sessionId } = request.caller;
    const feeds = await feedsOf(request.query, actor.role);
    const caller = `${actor.kind} ${actor.id}`;
    const watcher = {
      caller,
      credential: sessionId ?? caller,
      isAllowed: () => isStillAllowed(parts, request as FastifyRequest),
      begin: () => begin(reply),
    };
    hub.add(feeds, watcher, reply.raw);
    return reply as never; // Hijacked: the hub writes the response.
  });
}

interface Query {
  waitlist?: string | undefined;
  environment?: string | undefined;
}

function begin(reply: FastifyReply): void {
  reply.hijack();
  const headers = Object.entries(reply.getHeaders()).filter(([, value]) => value !== undefined);
  reply.raw.writeHead(200, {
    ...Object.fromEntries(headers),
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no', // Makes nginx pass each event on at once.
  } as Record<string, string>);
  reply.raw.write(`retry: ${RETRY_MS}\n\n`);
}
