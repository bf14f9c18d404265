/** `HEALTHCHECK` of the container: ends with 0 if the server in it answers, at the address that it listens on. */
const { HOST = '', PORT = '' } = process.env;
const host = ['', '0.0.0.0', '::'].includes(HOST) ? '127.0.0.1' : HOST;
const address = `${host.includes(':') ? `[${host}]` : host}:${PORT === '' ? 3000 : PORT}`;
const isWell = await fetch(`http://${address}/healthz`).then(
  ({ ok }) => ok,
  () => false,
);
process.exitCode = isWell ? 0 : 1;

export {};
