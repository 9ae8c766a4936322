// Calls a service of gRPC's tests twice, the second time with grpc-js's own retry or without it, and writes what came
// of each as a line of JSON. Usage: node calls.js PORT (retry|once)
'use strict';

const grpc = require('@grpc/grpc-js');

const [port, mode] = process.argv.slice(2);
const bytes = (buffer) => buffer;

// A policy that would wait for a minute if it were not told otherwise.
const retries = {
  methodConfig: [
    {
      name: [{}],
      retryPolicy: {
        maxAttempts: 3,
        initialBackoff: '60s',
        maxBackoff: '60s',
        backoffMultiplier: 1,
        retryableStatusCodes: ['RESOURCE_EXHAUSTED'],
      },
    },
  ],
};
const options = mode === 'retry' ? { 'grpc.service_config': JSON.stringify(retries) } : { 'grpc.enable_retries': 0 };
const client = new grpc.Client(`127.0.0.1:${port}`, grpc.credentials.createInsecure(), options);

function call(then) {
  const deadline = new Date(Date.now() + 30_000);
  const done = (fault) => {
    const said = fault ? fault.metadata : new grpc.Metadata();
    const details = said.get('grpc-status-details-bin')[0];
    console.log(
      JSON.stringify({
        code: fault ? fault.code : grpc.status.OK,
        message: fault ? fault.details : '',
        pushback: String(said.get('grpc-retry-pushback-ms')[0]),
        details: details ? details.toString('hex') : '',
      }),
    );
    then();
  };
  client.makeUnaryRequest('/grpc.testing.TestService/EmptyCall', bytes, bytes, Buffer.alloc(0), { deadline }, done);
}

call(() => call(() => client.close()));
