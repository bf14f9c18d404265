import type { Static, TObject, TProperties, TSchema, TUnknown } from 'typebox';
import type { ErrorCode } from '../../lib/errors.ts';
import type { Access } from '../../operators/duties.ts';
import type { Actor } from '../../operators/roles.ts';
import type { Context } from '../../waitlist/queue/context.ts';
import type { Queue } from '../../waitlist/queue/queue.ts';
import type { Mask } from '../../wire/mask.ts';
import type { OperationParts } from './parts.ts';

/**
 * What an operation is about. An environment and a waitlist become parameters; a `queue` is a waitlist in one environment,
 * and is opened. What must work although the keys of a queue are damaged is about less.
 */
export type Scope = 'installation' | 'environment' | 'waitlist' | 'queue';
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Answer<Schema extends TSchema> {
  /** Default: 200. */
  status?: 200 | 201 | 202;
  description: string;
  schema: Schema;
  example: unknown;
}

interface Other<Schema extends TSchema> extends Answer<Schema> {
  status: 200 | 201 | 202;
}
type Others = Other<TSchema> | readonly Other<TSchema>[];
type ValueOf<O> = O extends readonly (infer Each)[]
  ? ValueOf<Each>
  : O extends { schema: infer Schema extends TSchema }
    ? Static<Schema>
    : never;

/** When an error occurs, and its message in the reference. What is left out has the usual words. */
export interface ErrorWords {
  when?: string;
  message?: string;
}

export interface SettingsOfOperation {
  /** What every change of them locks. */
  lock: 'queue' | 'installation';
  /** What can be changed, where an answer says it in other fields than a request. */
  besides?: (answer: Record<string, unknown>) => Record<string, unknown>;
}

/** What `Idempotency-Key` and `If-Match` mean for an operation. */
export interface ConditionsOf {
  /** Why a POST needs no `Idempotency-Key`: it only reads, or sent twice it leaves what it leaves sent once. */
  harmless?: 'reads' | 'same again';
  /** Settings or a plan that others may change at the same time. They have an ETag here, and where they are shown. */
  settings?: SettingsOfOperation;
  /** Shows settings, with their ETag. */
  showsSettings?: true;
}

interface Described extends ConditionsOf, Access {
  id: string;
  /** Method and path below the API: `PATCH /waitlists/:waitlistId/waves/:waveId`. */
  at: `${Method} /${string}`;
  tag: string;
  summary: string;
  description: string;
  /** Besides those that every operation of its scope has. */
  errors?: Partial<Record<ErrorCode, ErrorWords>>;
  /** Shows people: who sees them unmasked leaves a record in the audit trail. */
  shows?: 'people';
  /** How often a caller of the API may ask for it. */
  perMinute?: { name: string; limit: number };
  /** Works in turns with others of its kind (`pageTurn`), which others do not wait for. */
  takesTurns?: true;
  /** Default: 16 KiB. */
  bodyBytesMax?: number;
}

/** One request, whoever made it: a route, a command or a program. */
export interface Call<S extends Scope, Params, Query, Body> {
  /** The domain, which records what it changes as done by the caller. */
  context: Context;
  parts: OperationParts;
  actor: Actor;
  /** What the caller's role sees of people. */
  mask: Mask;
  queue: S extends 'queue' ? Queue : undefined;
  /** It exists. */
  environment: S extends 'environment' | 'queue' ? string : undefined;
  params: Params & (S extends 'waitlist' | 'queue' ? { waitlistId: string } : unknown);
  query: Query;
  body: Body;
  /** Whether nobody waits for the answer any more. */
  isOver(): boolean;
}

export interface Declaration<
  S extends Scope,
  P extends TProperties,
  Q extends TProperties,
  B extends TSchema,
  A extends TSchema,
  O extends Others,
> extends Described {
  scope: S;
  /** Of the path, besides the waitlist. */
  params?: P;
  /** Besides the environment. */
  query?: Q;
  body?: B;
  answer: Answer<A>;
  /** Other answers on success, for which `run` returns an `OtherAnswer`. */
  otherwise?: O;
  /** Last, so that its types follow from the schemas; only so, because inferring the other way costs the compiler much. */
  run(
    call: NoInfer<Call<S, Static<TObject<P>>, Static<TObject<Q>>, Static<B>>>,
  ): Promise<NoInfer<Static<A> | OtherAnswer<ValueOf<O>>>>;
}

/** An operation in a list with others, without the types of what goes in and comes out. */
export interface Operation extends Described {
  scope: Scope;
  params: TProperties;
  query: TProperties;
  body: TSchema | undefined;
  answer: Answer<TSchema>;
  otherwise: readonly Other<TSchema>[];
  run(call: Call<Scope, unknown, unknown, unknown>): Promise<unknown>;
}

/** An answer that `otherwise` describes: the first one, if the status does not say another. */
export class OtherAnswer<T> {
  readonly value: T;
  readonly status: number | undefined;

  constructor(value: T, status?: 200 | 201 | 202) {
    this.value = value;
    this.status = status;
  }
}

/** The only place that forgets the types, which the schemas have checked by then. */
export function operation<
  const S extends Scope,
  A extends TSchema,
  B extends TSchema = TUnknown,
  O extends Others = never,
  P extends TProperties = Record<never, never>,
  Q extends TProperties = Record<never, never>,
>(declaration: Declaration<S, P, Q, B, A, O>): Operation {
  const { params = {}, query = {}, body, otherwise, run, ...rest } = declaration;
  const others = otherwise === undefined ? [] : [otherwise].flat();
  return { ...rest, params, query, body, otherwise: others, run: run as Operation['run'] };
}

export function methodOf({ at }: Pick<Operation, 'at'>): Method {
  return at.slice(0, at.indexOf(' ')) as Method;
}

export function pathOf({ at }: Pick<Operation, 'at'>): string {
  return at.slice(at.indexOf(' ') + 1);
}
