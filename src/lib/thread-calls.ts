import type { MessagePort, Transferable, Worker } from 'node:worker_threads';
import { DoorlistError, type ErrorCode } from './errors.ts';

/** What a thread does for another one, by name. What goes in and out is copied. */
// biome-ignore lint/suspicious/noExplicitAny: each function has a type of its own, which `call` follows.
export type Offers = Record<string, (input: any) => unknown>;

type Input<F> = F extends (input: infer I) => unknown ? I : never;
type Output<F> = F extends (input: never) => infer O ? Awaited<O> : never;

export interface OtherThread<T extends Offers> {
  call<N extends keyof T & string>(
    name: N,
    input: Input<T[N]>,
    transfer?: readonly Transferable[],
  ): Promise<Output<T[N]>>;
  /** Nobody waits for it. It must not fail. */
  tell<N extends keyof T & string>(name: N, input: Input<T[N]>): void;
}

interface Call {
  call: string;
  input: unknown;
  /** Missing if nobody waits. */
  id?: number;
}

type Answer = { id: number } & ({ output: unknown } | { failed: Failure });

interface Failure {
  message: string;
  stack: string | undefined;
  /** Of an error that is meant for clients. */
  code?: ErrorCode;
  retryAfterSeconds?: number | undefined;
}

/** Connects two threads, each of which calls this with its end. Messages arrive in the order in which they were sent. */
export function connectThread<T extends Offers>(port: MessagePort | Worker, own: Offers): OtherThread<T> {
  const waiting = new Map<number, { resolve(output: never): void; reject(error: Error): void }>();
  let calls = 0;

  const answer = async ({ call, input, id }: Call) => {
    const work = async () => own[call]?.(input);
    if (id === undefined) return work();
    const answered = await work().then(
      (output) => ({ id, output }),
      (error: Error) => ({ id, failed: toFailure(error) }),
    );
    port.postMessage(answered satisfies Answer);
  };
  port.on('message', (message: Call | Answer) => {
    if ('call' in message) return void answer(message);
    const caller = waiting.get(message.id);
    waiting.delete(message.id);
    if ('failed' in message) caller?.reject(toError(message.failed));
    else caller?.resolve(message.output as never);
  });
  return {
    call: (call, input, transfer = []) =>
      new Promise((resolve, reject) => {
        calls += 1;
        waiting.set(calls, { resolve, reject });
        port.postMessage({ call, input, id: calls } satisfies Call, transfer);
      }),
    tell: (call, input) => port.postMessage({ call, input } satisfies Call),
  };
}

function toFailure(error: Error): Failure {
  const { message, stack } = error;
  if (!(error instanceof DoorlistError)) return { message, stack };
  return { message, stack, code: error.code, retryAfterSeconds: error.retryAfterSeconds };
}

function toError({ message, stack, code, retryAfterSeconds }: Failure): Error {
  if (code !== undefined) return new DoorlistError(code, message, retryAfterSeconds);
  return Object.assign(new Error(message), { stack });
}
