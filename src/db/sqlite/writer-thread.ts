import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { checkpointsBeside } from './checkpoints.ts';
import { DatabaseReplaced } from './identity.ts';
import type { Reply, WriterData, WriterOrder, WriterRequest } from './writer.ts';
import { shareConnection } from './writer-clients.ts';
import { WriterConnection } from './writer-connection.ts';

function serveWriter(port: MessagePort, data: WriterData): void {
  const connection = new WriterConnection(data);
  const checkpoints = checkpointsBeside(data.file, {
    pages: () => connection.checkpoint('noop').log,
    pagesToCopy: () => {
      const { log, checkpointed } = connection.checkpoint('noop');
      return log - checkpointed;
    },
    copy: () => connection.checkpoint('passive'),
  });
  const clients = shareConnection<WriterRequest>({
    isHeld: () => connection.isHeld,
    rollBack: () => void connection.answer({ sql: 'rollback' }),
  });
  const addClient = (client: MessagePort) =>
    clients.add((request) => {
      reply(client, connection, request);
      if (request.sql === 'commit' && !connection.isInTransaction) checkpoints.advance();
    });
  const first = addClient(port);
  const others: MessagePort[] = [];
  port.on('message', async (message: WriterRequest | WriterOrder) => {
    if (message === 'close') {
      await checkpoints.close();
      connection.close();
      for (const each of [port, ...others]) each.close();
    } else if ('client' in message) {
      const { take, remove } = addClient(message.client);
      others.push(message.client.on('message', take).on('close', remove));
    } else first.take(message);
  });
}

function reply(client: MessagePort, connection: WriterConnection, request: WriterRequest): void {
  try {
    client.postMessage(connection.answer(request) satisfies Reply);
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number };
    const replaced = error instanceof DatabaseReplaced;
    client.postMessage({ failed: { message, errcode, replaced } } satisfies Reply);
  }
}

if (parentPort) serveWriter(parentPort, workerData);
