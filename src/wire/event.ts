import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import { formatId } from '../lib/ids.ts';
import { isoTime } from '../lib/time.ts';
import type { Entry } from '../waitlist/entries/entry.ts';
import type { DomainEvent, EventKind } from '../waitlist/queue/events.ts';
import type { Queue } from '../waitlist/queue/queue.ts';
import { EntrySchema, EXAMPLE_ENTRY, presentEntry } from './entry.ts';
import { EXAMPLE_INVITE, InviteSchema, presentInvite } from './invite.ts';
import { constant, described, exactlyOne, idPattern, named, nullable, time } from './schema.ts';
import { EXAMPLE_WAITLIST, presentWaitlistReference, WaitlistReferenceSchema } from './waitlist.ts';

/** An event that the service sends: its meaning, the schema of its body, and an example. */
export interface WebhookEventDocumentation {
  name: string;
  when: string;
  schema: TSchema;
  example: object;
}

const EntryId = Type.String({ ...idPattern('ent'), description: 'Id of the entry.' });

const ErasedEntry = Type.Object(
  { id: EntryId },
  {
    ...named('ErasedEntry'),
    additionalProperties: false,
    description: 'An entry whose personal data was erased.',
  },
);

const EntryOrNull = exactlyOne([EntrySchema, Type.Null()], {
  description: 'The entry of the invited person; `null` if they are not on the waitlist.',
});

const data = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { description: 'Details of the event.' });

const EntryData = data({ entry: described(EntrySchema, 'The entry as it was right after the change.') });
const ReferralData = data({
  entry: described(EntrySchema, 'The entry that made the referral, as it was right after the change.'),
  referred: { ...EntryId, description: 'Id of the entry that was referred.' },
});
const InviteData = data({ invite: InviteSchema, entry: EntryOrNull });
const RemovedData = data({
  entry: exactlyOne([EntrySchema, ErasedEntry], {
    description: 'The entry as it was right after the change, or only its `id` if it was erased.',
  }),
});
const EXAMPLE_RUN = { scheduledAt: '2026-11-16T08:00:00.000Z', invited: 500 };
const WaveData = data({
  wave: Type.Object(
    {
      id: Type.String({ ...idPattern('wav'), description: 'Id of the wave.' }),
      name: Type.String({ description: 'What the team calls it.' }),
      pauseReason: nullable<string>('string', {
        description: 'Why it paused itself. `null` if it did not, or if an operator paused it.',
      }),
      resumesItself: Type.Boolean({
        description: 'Whether it goes on by itself, when the pause of emails that paused it ends.',
      }),
    },
    { ...named('WaveReference'), description: 'The wave.' },
  ),
  run: Type.Unsafe<{ scheduledAt: string; invited: number } | null>({
    type: ['object', 'null'],
    properties: {
      scheduledAt: time('When the run was planned.'),
      invited: Type.Integer({ minimum: 0, description: 'How many people it has invited so far.' }),
    },
    required: ['scheduledAt', 'invited'],
    description: 'The run. `null` for `wave.paused`.',
  }),
});
const TestData = data({ message: Type.String({ description: 'Says that this is a test.' }) });

type EventData = Static<
  | typeof EntryData
  | typeof ReferralData
  | typeof InviteData
  | typeof RemovedData
  | typeof WaveData
  | typeof TestData
>;

const ofEntry = (kind: EventKind, when: string) => event(kind, when, EntryData, { entry: EXAMPLE_ENTRY });
const ofInvite = (kind: EventKind, when: string) =>
  event(kind, when, InviteData, { invite: EXAMPLE_INVITE, entry: null });

const ofWave = (
  kind: EventKind,
  when: string,
  run: typeof EXAMPLE_RUN | null,
  pauseReason: string | null = null,
) =>
  event(kind, when, WaveData, {
    wave: {
      id: 'wav_06gxx2p9r1yn1vp1ryss481fhw',
      name: 'Weekday mornings',
      pauseReason,
      resumesItself: false,
    },
    run,
  });

export const WEBHOOK_EVENTS: Record<EventKind | 'webhook.test', WebhookEventDocumentation> = {
  'signup.created': ofEntry('signup.created', 'An entry was added.'),
  'signup.confirmed': ofEntry('signup.confirmed', 'A pending entry confirmed its email.'),
  'referral.credited': event('referral.credited', 'An entry was credited with a referral.', ReferralData, {
    entry: EXAMPLE_ENTRY,
    referred: 'ent_06gxx2p9r1yn1vp1ryss481fhw',
  }),
  'invite.sent': ofInvite('invite.sent', 'An operator sent an invite.'),
  'invite.accepted': ofInvite('invite.accepted', 'An invite was accepted.'),
  'invite.revoked': ofInvite('invite.revoked', 'An invite was revoked.'),
  'invite.expired': ofInvite('invite.expired', 'An invite expired.'),
  'entry.removed': event(
    'entry.removed',
    'An entry was taken off the waitlist, or its personal data was erased.',
    RemovedData,
    { entry: { id: EXAMPLE_ENTRY.id } },
  ),
  'entry.restored': ofEntry('entry.restored', 'A removed or declined entry was put back.'),
  'entry.updated': ofEntry(
    'entry.updated',
    'An operator changed what is stored about a person: email, phone, metadata or referrer.',
  ),
  'entry.approved': ofEntry('entry.approved', 'An operator or a rule approved an entry, which invites it.'),
  'entry.declined': ofEntry('entry.declined', 'An operator or a rule declined an entry.'),
  'mail.bounced': ofEntry('mail.bounced', 'Emails to an entry bounce, so it gets no more of them.'),
  'mail.complained': ofEntry(
    'mail.complained',
    'The owner of an entry marked an email as spam, so it is unsubscribed.',
  ),
  'wave.started': ofWave('wave.started', 'A run of a wave began to invite people.', {
    ...EXAMPLE_RUN,
    invited: 0,
  }),
  'wave.finished': ofWave('wave.finished', 'A run of a wave ended.', EXAMPLE_RUN),
  'wave.paused': ofWave(
    'wave.paused',
    'A wave paused itself, or an operator paused it.',
    null,
    '60 of the last 500 invites could not be delivered by email or webhook, or bounced',
  ),
  'webhook.test': event('webhook.test', 'An operator sent a test event.', TestData, {
    message: 'This is a test. Nothing has happened.',
  }),
};

export const WebhookEventSchema = exactlyOne(
  Object.values(WEBHOOK_EVENTS).map(({ schema }) => schema),
  {
    ...named('WebhookEvent'),
    description: 'Any event. Its `event` says which.',
    discriminator: {
      propertyName: 'event',
      mapping: Object.fromEntries(
        Object.entries(WEBHOOK_EVENTS).map(([kind, { name }]) => [kind, `#/components/schemas/${name}`]),
      ),
    },
  },
);

function event<T extends TSchema>(
  kind: string,
  when: string,
  dataSchema: T,
  example: Static<T>,
): WebhookEventDocumentation {
  const name = `${kind.replace(/(^|\.)[a-z]/g, (start) => start.replace('.', '').toUpperCase())}Event`;
  const schema = Type.Object(
    {
      event: constant(kind, 'What happened.'),
      id: Type.String({
        ...idPattern('evt'),
        description: 'Unique id of the event. Use it to ignore an event you have already handled.',
      }),
      timestamp: time('When it happened.'),
      environment: Type.String({ description: 'The environment it happened in.', examples: ['production'] }),
      waitlist: described(WaitlistReferenceSchema, 'The waitlist it happened on.'),
      data: dataSchema,
    },
    { ...named(name), description: when },
  );
  return {
    name,
    when,
    schema,
    example: {
      event: kind,
      id: 'evt_06gxx2p9r1yn1vp1ryss481fhw',
      timestamp: '2026-11-15T09:30:00.000Z',
      environment: 'production',
      waitlist: EXAMPLE_WAITLIST,
      data: example,
    } satisfies PresentedEvent,
  };
}

interface PresentedEvent {
  event: string;
  id: string;
  timestamp: string;
  environment: string;
  waitlist: Static<typeof WaitlistReferenceSchema>;
  data: EventData;
}

/** The body of a webhook. */
export function presentEvent(
  { environment, waitlist }: Queue,
  { id, at, kind, data }: { id: Uint8Array; at: number; kind: string; data: EventData },
): PresentedEvent {
  return {
    event: kind,
    id: formatId('evt', id),
    timestamp: isoTime(at),
    environment,
    waitlist: presentWaitlistReference(waitlist),
    data,
  };
}

/** The events that webhook endpoints can subscribe to. */
export type PublicEvent = Extract<DomainEvent, { kind: EventKind }>;

/** `entry` is the one that the event is about, as it is at the commit. */
export function presentEventData(event: PublicEvent, entry: Entry | null): EventData {
  if ('entryId' in event) return { entry: { id: formatId('ent', event.entryId) } };
  if ('wave' in event) return presentWaveData(event);
  if ('invite' in event) return { invite: presentInvite(event.invite), entry: entry && presentEntry(entry) };
  if (entry === null) throw new Error(`a ${event.kind} without its entry`);
  if ('referred' in event) return { entry: presentEntry(entry), referred: formatId('ent', event.referred) };
  return { entry: presentEntry(entry) };
}

function presentWaveData({ wave, run }: Extract<PublicEvent, { wave: unknown }>): Static<typeof WaveData> {
  const { id, name, pauseReason, resumesItself } = wave;
  return {
    wave: { id: formatId('wav', id), name, pauseReason, resumesItself },
    run: run && { scheduledAt: isoTime(run.scheduledAt), invited: run.invited },
  };
}
