import { parentPort } from 'node:worker_threads';
import { checkContent } from './check-content.ts';
import { renderContent } from './content.ts';
import { failureOf, type TaskReply, type TaskRequest } from './tasks.ts';

/** The other end of `template-worker.ts`: one task at a time. */
function answer(request: TaskRequest): TaskReply {
  try {
    return {
      result: request.task === 'render' ? renderContent(request.input) : checkContent(request.input),
    };
  } catch (error) {
    return { failed: failureOf(error) };
  }
}

parentPort?.on('message', (request: TaskRequest) => parentPort?.postMessage(answer(request)));
parentPort?.postMessage('ready' satisfies TaskReply);
