/**
 * For a promise that is awaited after others. If one of them fails first, nobody is left to handle its rejection, and Node
 * would end the process.
 */
export function awaitedLater<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}
