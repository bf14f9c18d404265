import Type, { type TSchema } from 'typebox';
import type { EventKind } from '../waitlist/queue/events.ts';
import {
  constant,
  described,
  EMAIL,
  Entry,
  EXAMPLE_ENTRY,
  EXAMPLE_WAITLIST,
  exactlyOne,
  idPattern,
  named,
  time,
  timeOrNull,
  WaitlistReference,
} from './schemas.ts';

/** An event that the service sends: what it means, the schema of its body, and an example. */
export interface WebhookEventDocumentation {
  name: string;
  when: string;
  schema: TSchema;
  example: object;
}

const Invite = Type.Object(
  {
    id: Type.String({ ...idPattern('inv'), description: 'Unique id of the invite.' }),
    email: Type.String({ ...EMAIL, description: 'The invited email.' }),
    expiresAt: timeOrNull('When the invite expires; `null` if it does not.'),
  },
  { ...named('Invite'), description: 'An invite. Its code is never included.' },
);
const EXAMPLE_INVITE = { id: 'inv_06gxx2p9r1yn1vp1ryss481fhw', email: 'ada@example.com', expiresAt: null };

const EntryId = Type.String({ ...idPattern('ent'), description: 'Id of the entry.' });

const ErasedEntry = Type.Object(
  { id: EntryId },
  { ...named('ErasedEntry'), description: 'An entry whose personal data was erased.' },
);

const EntryOrNull = exactlyOne([Entry, Type.Null()], {
  description: 'The entry of the invited person; `null` if they are not on the waitlist.',
});

const ofEntry = (kind: EventKind, when: string) =>
  event(
    kind,
    when,
    { entry: described(Entry, 'The entry as it was right after the change.') },
    { entry: EXAMPLE_ENTRY },
  );
const ofInvite = (kind: EventKind, when: string) =>
  event(kind, when, { invite: Invite, entry: EntryOrNull }, { invite: EXAMPLE_INVITE, entry: null });

export const WEBHOOK_EVENTS: Record<EventKind | 'webhook.test', WebhookEventDocumentation> = {
  'signup.created': ofEntry('signup.created', 'An entry was added.'),
  'signup.confirmed': ofEntry('signup.confirmed', 'A pending entry confirmed its email.'),
  'referral.credited': event(
    'referral.credited',
    'An entry was credited with a referral.',
    {
      entry: described(Entry, 'The entry that made the referral, as it was right after the change.'),
      referred: { ...EntryId, description: 'Id of the entry that was referred.' },
    },
    { entry: EXAMPLE_ENTRY, referred: 'ent_06gxx2p9r1yn1vp1ryss481fhw' },
  ),
  'invite.sent': ofInvite('invite.sent', 'An operator sent an invite.'),
  'invite.accepted': ofInvite('invite.accepted', 'An invite was accepted.'),
  'invite.revoked': ofInvite('invite.revoked', 'An invite was revoked.'),
  'invite.expired': ofInvite('invite.expired', 'An invite expired.'),
  'entry.removed': event(
    'entry.removed',
    'An entry was removed and its personal data erased.',
    { entry: ErasedEntry },
    { entry: { id: EXAMPLE_ENTRY.id } },
  ),
  'webhook.test': event(
    'webhook.test',
    'An operator sent a test event.',
    { message: Type.String({ description: 'Says that this is a test.' }) },
    { message: 'This is a test. Nothing has happened.' },
  ),
};

export const WebhookEvent = exactlyOne(
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

function event(
  kind: string,
  when: string,
  data: Record<string, TSchema>,
  example: object,
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
      waitlist: described(WaitlistReference, 'The waitlist it happened on.'),
      data: Type.Object(data, { description: 'Details of the event.' }),
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
    },
  };
}
