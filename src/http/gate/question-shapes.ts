import { createHmac, timingSafeEqual } from 'node:crypto';
import type { GateDecision } from '../../waitlist/gate/pass-gate.ts';
import { at, isStandardWebhook, type SignedRequest } from '../signed-request.ts';

/** What people type into the sign-up form of the product, if it asks for the code. */
const CODE_FIELD = 'invite_code';

/** https://supabase.com/docs/guides/auth/auth-hooks/before-user-created-hook */
const supabase: Shape = {
  read: (body) => ({
    email: at(body, 'user', 'email'),
    code: at(body, 'user', 'user_metadata', CODE_FIELD),
    requestId: at(body, 'metadata', 'uuid'), // `webhook-id` is new for each attempt.
  }),
  // With any other status, people would not see the message.
  present: (answer) => (answer.allow ? {} : { error: { http_code: answer.status, message: answer.message } }),
  isGenuine: isStandardWebhook,
};

/** https://auth0.com/docs/customize/actions/explore-triggers/pre-user-registration */
const auth0: Shape = {
  read: (body) => ({
    email: at(body, 'user', 'email'),
    code: at(body, 'user', 'user_metadata', CODE_FIELD),
    browserState: at(body, 'transaction', 'state'),
  }),
  present: presentForCode,
};

/** https://docs.kinde.com/workflows/example-workflows/pre-user-registration-workflow */
const kinde: Shape = {
  read: (body) => ({
    email: at(body, 'context', 'user', 'email'),
    browserState: at(body, 'request', 'authUrlParams', 'state'),
  }),
  present: presentForCode,
};

/** https://workos.com/docs/authkit/actions */
const workos: Shape = {
  read: (body) => ({ email: at(body, 'user_data', 'email'), requestId: at(body, 'id') }),
  present: presentSigned,
  isGenuine: isWorkosAction,
  signsAnswers: true,
};

const SHAPES = { supabase, auth0, workos, kinde };
type ShapeName = keyof typeof SHAPES;
export const SHAPE_NAMES = Object.keys(SHAPES) as ShapeName[];

export function findShape(name: string): Shape | undefined {
  return Object.hasOwn(SHAPES, name) ? SHAPES[name as ShapeName] : undefined;
}

/** For providers at which code of the customer reads the answer. */
function presentForCode(answer: GateAnswer): object {
  return answer.allow ? { allow: true } : { allow: false, reason: answer.reason, message: answer.message };
}

/** As WorkOS' own library. */
const WORKOS_TOLERANCE_MS = 180_000;

function isWorkosAction({ headers, body }: SignedRequest, secret: string, now: number): boolean {
  const header = headers['workos-signature'];
  if (typeof header !== 'string') return false;
  const [, timestamp = '', signature = ''] = /^t=(\d{1,15}), ?v1=([0-9a-f]{64})$/.exec(header) ?? [];
  if (signature === '' || Math.abs(now - Number(timestamp)) > WORKOS_TOLERANCE_MS) return false;
  const expected = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'));
}

function presentSigned(answer: GateAnswer, secret: string, now: number): object {
  const payload = answer.allow
    ? { timestamp: now, verdict: 'Allow' }
    : { timestamp: now, verdict: 'Deny', error_message: answer.message };
  const signed = `${now}.${JSON.stringify(payload)}`;
  const signature = createHmac('sha256', secret).update(signed).digest('hex');
  return { object: 'user_registration_action_response', payload, signature };
}

type Allowed = Extract<GateDecision, { allow: true }>;
type Denied = Extract<GateDecision, { allow: false }>;

/** What the gate answers. A question that it cannot answer is denied too, as not invited, with a message that says why. */
export type GateAnswer = Allowed | (Denied & { status: number; message: string });

/** What a provider asks. Left out if it is not there; the types are checked afterwards. */
export interface Question {
  email?: unknown;
  code?: unknown;
  /** The same when the provider repeats the request. */
  requestId?: unknown;
  /** Chosen by the browser: who asks can send it again with somebody else's email, or much later. */
  browserState?: unknown;
}

/** How one provider asks and wants to be answered. */
export interface Shape {
  read(body: unknown): Question;
  present(answer: GateAnswer, secret: string, now: number): object;
  /** For providers that sign their requests. */
  isGenuine?(request: SignedRequest, secret: string, now: number): boolean;
  /** For providers that want the answer signed, too. */
  signsAnswers?: true;
}
