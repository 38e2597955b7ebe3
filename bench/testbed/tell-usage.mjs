// Loaded with --import into a process whose cost is of interest: tells it on file descriptor 3 at the end. Every request that
// leaves the process is counted, reads, writes and the opening of a watch alike.
import { subscribe } from 'node:diagnostics_channel';
import { writeSync } from 'node:fs';
import http2 from 'node:http2';
import { syncBuiltinESMExports } from 'node:module';

let requests = 0;
subscribe('http.client.request.start', () => {
  requests++;
});
// Node 20 has no channel for these.
const { connect } = http2;
http2.connect = (...words) => {
  const session = connect(...words);
  const request = session.request.bind(session);
  return Object.assign(session, {
    request: (...order) => {
      requests++;
      return request(...order);
    },
  });
};
syncBuiltinESMExports();
process.on('exit', () => {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  writeSync(3, JSON.stringify({ requests, cpuMs: (userCPUTime + systemCPUTime) / 1000, maxRSS }));
});
