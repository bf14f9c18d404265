import Type from 'typebox';
import { isoTime } from '../../../lib/time.ts';
import {
  closed,
  Deleted,
  Done,
  emailInput,
  nameInput,
  newPasswordInput,
  passwordInput,
} from '../../../operations/core/schemas.ts';
import {
  EndedSessions,
  EXAMPLE_OPERATOR,
  OperatorObject,
  presentOperator,
} from '../../../operations/operators/operators.ts';
import { presentToken, TokenObject } from '../../../operations/operators/tokens.ts';
import { DUTIES, dutiesOf } from '../../../operators/duties.ts';
import { changePassword, changeProfile } from '../../../operators/own-account.ts';
import { endOtherSessions, endSession, listSessions, type Session } from '../../../operators/sessions.ts';
import {
  constant,
  exactlyOne,
  idPattern,
  named,
  oneOf,
  time,
  WORD,
  withExamples,
} from '../../../wire/schema.ts';
import type { TypedApp } from '../../typed-app.ts';
import { type AdminParts, personOf } from '../core/admin-parts.ts';
import { adminSchema } from '../core/operation.ts';

const tag = 'Your account';
const EXAMPLE_SESSION_ID = 'ses_06gxx2p9r1yn1vp1ryss481fhw';

const may = Type.Array(oneOf(DUTIES), {
  maxItems: DUTIES.length,
  description:
    'What the caller may do of what the owner can turn off for support. Admins and owners: all of it. Viewers: nothing.',
});

const Me = exactlyOne(
  [
    Type.Object(
      { kind: constant('operator', 'A signed-in person.'), operator: OperatorObject, may },
      { ...named('MeOperator'), description: 'The operator who is signed in.' },
    ),
    Type.Object(
      { kind: constant('token', 'A token.'), token: TokenObject, may },
      { ...named('MeToken'), description: 'The token that was sent.' },
    ),
  ],
  { ...named('Me'), description: 'Who sent the request.' },
);

const SessionObject = Type.Object(
  {
    id: Type.String({ ...idPattern('ses'), description: 'Unique id of the session.' }),
    current: Type.Boolean({ description: 'Whether this is the session that sent the request.' }),
    address: Type.String({ description: 'Address the operator signed in from.' }),
    userAgent: Type.String({ description: 'Browser the operator signed in with.' }),
    createdAt: time('When the operator signed in.'),
    lastSeenAt: time('When the session was last used, to the second.'),
    expiresAt: time('When the session ends at the latest.'),
  },
  { ...named('Session'), description: 'A browser that is signed in.' },
);

const SessionList = Type.Object(
  { sessions: Type.Array(SessionObject, { description: 'Newest first.' }) },
  { ...named('SessionList'), description: 'All sessions of an operator.' },
);

const SessionParams = Type.Object({
  sessionId: Type.String({ ...WORD, description: 'Id of the session.', examples: [EXAMPLE_SESSION_ID] }),
});

const PasswordChange = Type.Object(
  { password: passwordInput, newPassword: newPasswordInput },
  {
    ...named('PasswordChange'),
    ...closed,
    description: 'The old and the new password.',
    ...withExamples({
      change: {
        summary: 'A new password',
        value: { password: 'compilers translate words', newPassword: 'nanoseconds are wires' },
      },
    }),
  },
);

const meSchema = adminSchema({
  operationId: 'getMe',
  tag,
  summary: 'Who am I',
  description: 'Returns the operator or the token that sent the request.',
  role: 'viewer',
  answer: {
    description: 'The caller.',
    schema: Me,
    example: { kind: 'operator', operator: EXAMPLE_OPERATOR, may: [...DUTIES] },
  },
});

const listSchema = adminSchema({
  operationId: 'listSessions',
  tag,
  summary: 'List sessions',
  description: 'Returns the sessions of the signed-in operator.',
  role: 'viewer',
  person: true,
  answer: {
    description: 'The sessions.',
    schema: SessionList,
    example: {
      sessions: [
        {
          id: EXAMPLE_SESSION_ID,
          current: true,
          address: '192.0.2.1',
          userAgent: 'Mozilla/5.0',
          createdAt: '2026-11-15T09:30:00.000Z',
          lastSeenAt: '2026-11-15T09:31:00.000Z',
          expiresAt: '2026-11-29T09:30:00.000Z',
        },
      ],
    },
  },
});

const endSchema = adminSchema({
  operationId: 'endSession',
  write: true,
  tag,
  summary: 'End a session',
  description: 'Signs another browser of the operator out, or this one.',
  role: 'viewer',
  person: true,
  params: SessionParams,
  answer: {
    description: 'The session has ended.',
    schema: Deleted,
    example: { id: EXAMPLE_SESSION_ID, deleted: true },
  },
  errors: ['not_found'],
  special: { not_found: { when: 'The session does not exist.', message: 'there is no such session' } },
});

const endOthersSchema = adminSchema({
  operationId: 'endOtherSessions',
  write: true,
  tag,
  summary: 'End all other sessions',
  description: 'Signs the operator out everywhere but here.',
  role: 'viewer',
  person: true,
  answer: { description: 'The other sessions have ended.', schema: EndedSessions, example: { ended: 2 } },
});

const ProfileChange = Type.Object(
  {
    name: Type.Optional(nameInput),
    email: Type.Optional(emailInput),
    password: Type.Optional(passwordInput),
  },
  {
    ...named('ProfileChange'),
    ...closed,
    description: 'What to change. Another email needs the current password.',
    ...withExamples({
      name: { summary: 'Another name', value: { name: 'Grace Brewster Hopper' } },
      email: {
        summary: 'Another email',
        value: { email: 'grace.hopper@example.com', password: 'compilers translate words' },
      },
    }),
  },
);

const profileSchema = adminSchema({
  operationId: 'updateMe',
  tag,
  summary: 'Change your name or email',
  description:
    'Changes how others see you, or what you sign in with. The old address gets an email about it.',
  role: 'viewer',
  person: true,
  body: ProfileChange,
  answer: { description: 'The operator.', schema: OperatorObject, example: EXAMPLE_OPERATOR },
  errors: ['conflict'],
  special: {
    invalid_request: { message: 'password: is required to change the email' },
    forbidden: { when: 'The current password is wrong.', message: 'password: is incorrect' },
    conflict: {
      when: 'Another operator has this email.',
      message: 'email: an operator with this email already exists',
    },
  },
});

const passwordSchema = adminSchema({
  operationId: 'changePassword',
  tag,
  summary: 'Change your password',
  description: 'Sets a new password and ends all other sessions.',
  role: 'viewer',
  person: true,
  body: PasswordChange,
  answer: { description: 'The password was changed.', schema: Done, example: { success: true } },
  special: { forbidden: { when: 'The current password is wrong.', message: 'password: is incorrect' } },
});

export function registerMe(app: TypedApp, parts: AdminParts): void {
  const { context, limits, cookies } = parts;
  app.get('/me', { schema: meSchema }, async ({ caller }) => {
    const may = [...(await dutiesOf(parts.waitlists, caller.actor.role))];
    return caller.operator
      ? { kind: 'operator' as const, operator: presentOperator(caller.operator), may }
      : { kind: 'token' as const, token: presentToken(caller.token), may };
  });

  app.patch('/me', { schema: profileSchema }, async (request) =>
    presentOperator(await changeProfile(parts, personOf(request).actor, request.body)),
  );

  app.get('/me/sessions', { schema: listSchema }, async (request) => {
    const { operator, sessionId } = personOf(request);
    const sessions = await listSessions(context, operator.id, limits);
    return { sessions: sessions.map((session) => presentSession(session, sessionId)) };
  });

  app.delete('/me/sessions', { schema: endOthersSchema }, async (request) => {
    const { actor, sessionId } = personOf(request);
    return { ended: await endOtherSessions(context, actor, sessionId) };
  });

  app.delete('/me/sessions/:sessionId', { schema: endSchema }, async (request, reply) => {
    const { sessionId: id } = request.params;
    const { actor, sessionId } = personOf(request);
    await endSession(context, actor, id);
    if (id === sessionId) parts.cookies.clearSession(reply);
    return { id, deleted: true as const };
  });

  app.post('/me/password', { schema: passwordSchema }, async (request, reply) => {
    const { actor, sessionId } = personOf(request);
    const { device } = cookies.read(request);
    const renewed = await changePassword(parts, actor, sessionId, { ...request.body, device });
    if (renewed !== undefined) cookies.setDevice(reply, renewed);
    return { success: true as const };
  });
}

function presentSession({ id, createdAt, seenAt, expiresAt, client }: Session, currentId: string) {
  return {
    id,
    current: id === currentId,
    address: client.address,
    userAgent: client.agent,
    createdAt: isoTime(createdAt),
    lastSeenAt: isoTime(seenAt),
    expiresAt: isoTime(expiresAt),
  };
}
