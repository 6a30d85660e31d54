// Sends requests with Node's own client, on which many others are built, and prints each answer. A body without a
// length is sent in chunks.
import { request } from 'node:http';
import { Readable } from 'node:stream';

/** The input: { url, times, requests: { headers, start, bytes, end }[] } */
const given = JSON.parse(process.argv[2] ?? '');

function* contentOf({ start, bytes, end }) {
  if (start) yield Buffer.from(start);
  const piece = Buffer.alloc(64 * 1024, 'x');
  for (let left = bytes; left > 0; left -= piece.length) yield piece.subarray(0, left);
  yield Buffer.from(end);
}

const send = ({ path, headers, ...content }) =>
  new Promise((resolve) => {
    const sent = request(given.url + path, { method: 'POST', headers });
    sent.on('error', ({ code }) => resolve(code));
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece) => {
        text += piece;
      });
      response.on('error', ({ code }) => resolve(code));
      response.on('end', () => resolve(`${response.statusCode} ${Object.keys(JSON.parse(text))}`));
    });
    Readable.from(contentOf(content)).pipe(sent);
  });

const results = [];
for (const each of given.requests) {
  const counts = {};
  for (let time = 0; time < given.times; time += 1) {
    const result = await send(each);
    counts[result] = (counts[result] ?? 0) + 1;
  }
  results.push(counts);
}
process.stdout.write(JSON.stringify(results));
