import type { GateDecision } from '../../waitlist/gate/pass-gate.ts';
import type { WireCode } from '../problem.ts';
import type { SignedRequest } from '../signed-request.ts';

type Allowed = Extract<GateDecision, { allow: true }>;
type Denied = Extract<GateDecision, { allow: false }>;

/** What the gate answers. A question that it cannot answer is denied too. */
export type GateAnswer =
  | Allowed
  | (Omit<Denied, 'reason'> & { reason: Denied['reason'] | WireCode; status: number; message: string });

/** What a provider asks. Left out if it is not there; the types are checked afterwards. */
export interface Question {
  email?: unknown;
  code?: unknown;
  /** The same when the provider repeats the request. */
  requestId?: unknown;
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
