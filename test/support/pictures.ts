/** One violet pixel. */
export const PNG: Buffer = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGOosXoLAALZAaQGKdQKAAAAAElFTkSuQmCC',
  'base64',
);
