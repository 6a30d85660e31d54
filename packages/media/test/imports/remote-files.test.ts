import { describeRemoteFiles, type OriginAnswer } from '@postshelf/testing/contracts/imports/remote-files';
import { filesFromLoopback } from './support/fetching.ts';
import { type Answer, saying, silence, startOrigin } from './support/origin.ts';

describeRemoteFiles('over HTTP', async () => {
  const answers = new Map<string, Answer>();
  const origin = await startOrigin((visit) => (answers.get(visit.path) ?? silence)(visit));
  const dead = await startOrigin(silence);
  await dead.close();
  return {
    // These times are long enough for a busy machine to deliver what is sent.
    files: filesFromLoopback({ headTimeout: 1000, idleTimeout: 1000 }),
    serve: (answer) => {
      const path = `/${answers.size}`;
      answers.set(path, played(answer));
      return origin.url + path;
    },
    deadUrl: dead.url,
    refusedUrl: 'http://10.0.0.1/',
    allClosed: origin.allClosed,
    close: origin.close,
  };
});

function played(answer: OriginAnswer): Answer {
  if (answer === 'silent') return silence;
  if ('status' in answer) return saying(`HTTP/1.1 ${answer.status} Status\r\nContent-Length: 0\r\n\r\n`);
  const { chunks, announcedSize, ending } = answer;
  return ({ socket }) => {
    const length = announcedSize === null ? 'Transfer-Encoding: chunked' : `Content-Length: ${announcedSize}`;
    socket.write(`HTTP/1.1 200 OK\r\n${length}\r\n\r\n`);
    for (const chunk of chunks) {
      if (announcedSize === null) socket.write(`${chunk.length.toString(16)}\r\n`);
      socket.write(chunk);
      if (announcedSize === null) socket.write('\r\n');
    }
    if (ending === 'whole' && announcedSize === null) socket.write('0\r\n\r\n');
    if (ending !== 'stalled') socket.end();
  };
}
