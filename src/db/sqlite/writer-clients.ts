/** A thread that writes. Its requests run in their order. */
interface Client<Request> {
  readonly waiting: Request[];
  /** Runs a request and answers it. */
  run(request: Request): void;
}

interface Clients<Request> {
  /** Returns how to pass on its requests, and what to do when it is gone. */
  add(run: (request: Request) => void): { take(request: Request): void; remove(): void };
}

interface Connection {
  /** Whether whoever ran the last request has not ended its transaction. */
  isHeld(): boolean;
  rollBack(): void;
}

/**
 * Several threads share the one connection that writes. While one of them is in a transaction, the others wait. Then
 * they go round, so that nobody waits for more than one transaction of each other.
 */
export function shareConnection<Request>(connection: Connection): Clients<Request> {
  /** Whose turn it was stands last. */
  const clients: Client<Request>[] = [];
  let holder: Client<Request> | undefined;

  const run = (client: Client<Request>, request: Request) => {
    client.run(request);
    holder = connection.isHeld() ? client : undefined;
  };
  const runWaiting = () => {
    for (;;) {
      const next = holder ?? clients.find(({ waiting }) => waiting.length > 0);
      const request = next?.waiting.shift();
      if (next === undefined || request === undefined) return;
      if (holder === undefined) moveToEnd(clients, next);
      run(next, request);
    }
  };
  return {
    add: (runRequest) => {
      const client: Client<Request> = { waiting: [], run: runRequest };
      clients.push(client);
      return {
        take: (request) => {
          client.waiting.push(request);
          runWaiting();
        },
        remove: () => {
          clients.splice(clients.indexOf(client), 1);
          if (holder !== client) return;
          connection.rollBack();
          holder = undefined;
          runWaiting();
        },
      };
    },
  };
}

function moveToEnd<T>(list: T[], one: T): void {
  list.splice(list.indexOf(one), 1);
  list.push(one);
}
