import type { GateDecision } from '../../waitlist/gate/pass-gate.ts';
import type { SignedRequest } from '../signed-request.ts';

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
