// Opens one WebSocket over HTTP/2 (RFC 8441), sends "ping", ends its half, and says what came back.
const http2 = require('node:http2');

const client = http2.connect(process.argv[2]);
client.on('error', (error) => console.log(String(error)));
client.on('remoteSettings', (settings) => {
  console.log('announced ' + settings.enableConnectProtocol);
  const stream = client.request({
    ':method': 'CONNECT',
    ':protocol': 'websocket',
    ':path': '/chat',
    'sec-websocket-version': '13',
  });
  let text = '';
  stream.on('response', (head) => {
    console.log('status ' + head[':status']);
    stream.end('ping');
  });
  stream.on('error', (error) => console.log(String(error)));
  stream.on('data', (bytes) => (text += bytes.toString('latin1')));
  stream.on('end', () => console.log(text.slice(2)));
  stream.on('close', () => {
    console.log('closed ' + stream.rstCode);
    client.close();
  });
});
